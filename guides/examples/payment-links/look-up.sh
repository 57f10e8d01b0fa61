curl "$PASSERELLE_URL/api/v1/merchant/basket-77" -H "Authorization: Bearer $PASSERELLE_KEY"
