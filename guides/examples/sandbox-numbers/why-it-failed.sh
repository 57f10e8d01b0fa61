curl "$PASSERELLE_URL/api/v1/transaction/no-money-1" -H "Authorization: Bearer $PASSERELLE_KEY"
