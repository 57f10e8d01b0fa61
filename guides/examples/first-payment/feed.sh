curl "$PASSERELLE_URL/api/v1/events?limit=1" -H "Authorization: Bearer $PASSERELLE_KEY"
