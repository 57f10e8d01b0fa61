curl "$PASSERELLE_URL/api/v1/api-services/balance" -H "Authorization: Bearer $PASSERELLE_KEY"
