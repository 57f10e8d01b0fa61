curl "$PASSERELLE_URL/api/v1/transaction/order-1001" -H "Authorization: Bearer $PASSERELLE_KEY"
