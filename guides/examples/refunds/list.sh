curl "$PASSERELLE_URL/api/v1/transaction?type=REFUND" -H "Authorization: Bearer $PASSERELLE_KEY"
