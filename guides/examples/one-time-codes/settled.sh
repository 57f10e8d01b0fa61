curl "$PASSERELLE_URL/api/v1/transaction/code-1" -H "Authorization: Bearer $PASSERELLE_KEY"
