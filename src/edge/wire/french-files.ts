/** The French of every sentence about files of rows and batches of payouts. */
export const frenchOfFiles: Record<string, string> = {
  // Files
  'The file is empty': 'Le fichier est vide',
  'The file takes too long to be read: send a smaller one':
    'La lecture du fichier prend trop de temps : envoyez-en un plus petit',
  'The file takes too much memory to be read: send a smaller one':
    'La lecture du fichier prend trop de mémoire : envoyez-en un plus petit',
  'Other files are being read: try again in a minute':
    "D'autres fichiers sont en cours de lecture : réessayez dans une minute",
  'The file is larger than {bytesMax} bytes': 'Le fichier dépasse {bytesMax} octets',
  'The file unpacks to more than {unpackedBytesMax} bytes':
    'Le fichier décompressé dépasse {unpackedBytesMax} octets',
  'The file has more than {rowsMax} rows': 'Le fichier a plus de {rowsMax} lignes',
  'Line {line} has more than {columnsMax} columns':
    'La ligne {line} a plus de {columnsMax} colonnes',
  'Line {line}, column {column}: the cell has more than {lengthMax} characters':
    'Ligne {line}, colonne {column} : la cellule dépasse {lengthMax} caractères',
  'Line {line}: the text is not valid {encoding}':
    "Ligne {line} : le texte n'est pas du {encoding} valide",
  'Line {line}: this is not a text file': "Ligne {line} : ce n'est pas un fichier de texte",
  'Line {line}: a quote is opened and never closed':
    'Ligne {line} : un guillemet est ouvert et jamais fermé',
  'Line {line}, column {column}: there is text after a closing quote':
    'Ligne {line}, colonne {column} : il y a du texte après un guillemet fermant',
  'Line {line}, column {column}: the formula has no result: open the file and save it again':
    "Ligne {line}, colonne {column} : la formule n'a pas de résultat : ouvrez le fichier et " +
    'enregistrez-le de nouveau',
  'Line {line}, column {column}: the cell holds the error {value}':
    "Ligne {line}, colonne {column} : la cellule contient l'erreur {value}",
  'Line {line}, column {column}: {value} is not a number':
    "Ligne {line}, colonne {column} : {value} n'est pas un nombre",
  'This is an old Excel file, or one with a password: save it as .xlsx without one, or as CSV':
    "C'est un ancien fichier Excel, ou il a un mot de passe : enregistrez-le en .xlsx sans mot " +
    'de passe, ou en CSV',
  'This is a PDF: send a CSV or XLSX file': "C'est un PDF : envoyez un fichier CSV ou XLSX",
  'This is a compressed file: send the CSV or XLSX file in it':
    "C'est un fichier compressé : envoyez le fichier CSV ou XLSX qu'il contient",
  'This is a web page or another XML file: send a CSV or XLSX file':
    "C'est une page web ou un autre fichier XML : envoyez un fichier CSV ou XLSX",
  'The file is damaged: it ends too early or was changed on its way':
    'Le fichier est endommagé : il est incomplet ou a été modifié en route',
  'The file has a password: save it without one':
    'Le fichier a un mot de passe : enregistrez-le sans mot de passe',
  'A part of the workbook cannot be read: {reason}':
    'Une partie du classeur est illisible : {reason}',
  'This is not an Excel workbook: send a CSV or XLSX file':
    "Ce n'est pas un classeur Excel : envoyez un fichier CSV ou XLSX",
  'The workbook has no visible sheet': "Le classeur n'a pas de feuille visible",

  // Batches as a whole
  'No batch found': 'Aucun paiement groupé trouvé',
  'Two columns are titled {title}': "Deux colonnes s'appellent {title}",
  'The file has no column {title}': "Le fichier n'a pas de colonne {title}",
  'Line {line} is of {at}, which is outside of the time given':
    'La ligne {line} est du {at}, en dehors de la période donnée',
  'The file has no lines': "Le fichier n'a pas de lignes",
  'The file has no line with the titles of its columns, such as Numéro and Montant':
    "Le fichier n'a pas de ligne avec les titres des colonnes, comme Numéro et Montant",
  'A batch has at most {linesMax} lines': 'Un paiement groupé a au plus {linesMax} lignes',
  'The same file was uploaded before, as {name}':
    'Le même fichier a déjà été envoyé, sous le nom {name}',
  'The batch is {state}: this is possible only while it is {states}':
    "Ce paiement groupé est {state} : ceci n'est possible que s'il est {states}",
  '{faulty} lines have errors: correct the file and upload it again':
    '{faulty} lignes ont des erreurs : corrigez le fichier et envoyez-le de nouveau',
  'Another person must approve what you have proposed':
    'Une autre personne doit approuver ce que vous avez proposé',
  'A refusal needs a reason': 'Un refus doit être motivé',
  'It was paused by {actor}': 'Mis en pause par {actor}',
  'No line of the batch has failed': "Aucune ligne n'a échoué",
  'The balance is too low for the next line': 'Le solde ne suffit pas pour la ligne suivante',

  // Lines of batches
  'The content of this line has been erased': 'Le contenu de cette ligne a été effacé',
  'Numbers of this batch have been erased: upload a new file':
    'Des numéros de ce paiement groupé ont été effacés : envoyez un nouveau fichier',
  'The wallet is missing': 'Le portefeuille manque',
  'No payouts are made to the wallet {wallet}':
    "Aucun versement n'est possible vers le portefeuille {wallet}",
  'The country is missing: this wallet exists in several':
    'Le pays manque : ce portefeuille existe dans plusieurs',
  'There is no country {country}': "Il n'y a pas de pays {country}",
  'The wallet {wallet} has no payouts in {country}':
    "Aucun versement n'est possible vers le portefeuille {wallet} ({country})",
  '{sent} is not a service that pays out': "{sent} n'est pas un service de versement",
  '{sent} is not a service that pays out: did you mean {code}?':
    "{sent} n'est pas un service de versement : vouliez-vous dire {code} ?",
  'The number is missing': 'Le numéro manque',
  'The number {number} is not one of {country}': "Le numéro {number} n'est pas de {country}",
  '{number} is not a phone number': "{number} n'est pas un numéro de téléphone",
  'The amount is missing': 'Le montant manque',
  '{amount} is not a whole amount in francs, such as 15000':
    "{amount} n'est pas un montant entier en francs, comme 15000",
  'The amount must be from {min} to {max} francs': 'Le montant doit être de {min} à {max} francs',
  'The text has more than {lengthMax} characters': 'Le texte dépasse {lengthMax} caractères',
  'The text must not have line breaks or control characters':
    'Le texte ne doit contenir ni saut de ligne ni caractère de contrôle',
  'The external id must not be {id}': "L'identifiant ne doit pas être {id}",
  'The external id {id} is already used': "L'identifiant {id} est déjà utilisé",
  'Line {line} has the same external id': 'La ligne {line} a le même identifiant',
  'Line {line} has the same number, wallet and amount':
    'La ligne {line} a le même numéro, portefeuille et montant',
  'The batch {name} has the same number, wallet and amount':
    'Le paiement groupé {name} a le même numéro, portefeuille et montant',
  'The history is being calculated: please try again in a few minutes':
    "L'historique est en cours de calcul : réessayez dans quelques minutes",
  'Other files are being downloaded: wait for one to finish':
    "D'autres fichiers sont en cours de téléchargement : attendez la fin de l'un d'eux",
}
