curl "$PASSERELLE_URL/api/v1/transaction/init" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{
    "externalTransactionId": "two-mistakes",
    "serviceCode": "WALLETA_SN_CASHOUT",
    "amount": "5 000",
    "number": "77 123 45",
    "callBackURL": "http://127.0.0.1:9000/webhooks",
    "successUrl": "http://127.0.0.1:9000/thanks",
    "failureUrl": "http://127.0.0.1:9000/sorry"
  }'
