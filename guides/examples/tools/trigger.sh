npx --yes --package="$PASSERELLE_URL/docs/passerelle-cli.tgz" passerelle trigger cashout.success
