curl "$PASSERELLE_URL/api/v1/transaction/meter-2" -H "Authorization: Bearer $PASSERELLE_KEY"
