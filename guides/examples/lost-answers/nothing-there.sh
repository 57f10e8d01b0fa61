curl "$PASSERELLE_URL/api/v1/transaction/never-sent" -H "Authorization: Bearer $PASSERELLE_KEY"
