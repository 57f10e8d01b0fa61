curl "$PASSERELLE_URL/api/v1/transaction/confirm/walletd" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{ "transactionId": "code-1", "otp": "123456" }'
