curl "$PASSERELLE_URL/api/v1/transaction/refund/sold-1" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -X POST
