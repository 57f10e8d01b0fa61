curl "$PASSERELLE_URL/api/v1/transaction/refund/sold-1" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{ "externalTransactionId": "sold-1-back-1", "amount": 2000, "reason": "one item missing" }'
