npx --yes --package="$PASSERELLE_URL/docs/passerelle-cli.tgz" passerelle listen --forward http://127.0.0.1:9000/webhooks
