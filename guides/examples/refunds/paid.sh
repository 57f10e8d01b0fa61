curl "$PASSERELLE_URL/api/v1/transaction/sold-1" -H "Authorization: Bearer $PASSERELLE_KEY"
