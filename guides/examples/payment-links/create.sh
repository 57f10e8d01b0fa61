curl "$PASSERELLE_URL/api/v1/transaction/merchant/get-link" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{
    "externalTransactionId": "basket-77",
    "ItemName": "Panier de légumes",
    "ItemPrice": 7500,
    "callBackURL": "http://127.0.0.1:9000/webhooks",
    "successUrl": "http://127.0.0.1:9000/thanks",
    "failureUrl": "http://127.0.0.1:9000/sorry"
  }'
