curl "$PASSERELLE_URL/api/v1/billing/inquiry" \
  -H "Authorization: Bearer $PASSERELLE_KEY" -H 'Content-Type: application/json' \
  -d '{ "serviceCode": "WATER_SN_BILL", "reference_client": "100000001" }'
