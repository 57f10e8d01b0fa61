curl "$PASSERELLE_URL/openapi.json" -o openapi.json
