curl "$PASSERELLE_URL/api/v1/transaction?from=$(date -u +%F)&to=$(date -u +%F)&status=SUCCESS&limit=100" \
  -H "Authorization: Bearer $PASSERELLE_KEY"
