curl "$PASSERELLE_URL/api/v1/transaction/init" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' -d "$ORDER"
