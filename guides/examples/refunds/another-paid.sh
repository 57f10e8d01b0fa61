curl "$PASSERELLE_URL/api/v1/transaction/sold-2" -H "Authorization: Bearer $PASSERELLE_KEY"
