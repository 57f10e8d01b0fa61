curl "$PASSERELLE_URL/api/v1/billing/pay" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{
    "serviceCode": "PREPAID_SN_BILL",
    "reference_client": "200000001",
    "amount": 5000,
    "externalTransactionId": "meter-1"
  }'
