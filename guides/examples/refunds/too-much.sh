curl "$PASSERELLE_URL/api/v1/transaction/refund/sold-1" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{ "amount": 1 }'
