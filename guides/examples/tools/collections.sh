curl "$PASSERELLE_URL/docs/collections/postman.json" -o passerelle.postman.json
curl "$PASSERELLE_URL/docs/collections/bruno.zip" -o passerelle.bruno.zip
