import { sentences } from '#formats/statements/sentences.ts'

/** The French of what can be wrong with a statement of a provider. */
export const frenchOfStatements: Record<string, string> = {
  [sentences.empty]:
    'Ligne {line}, colonne {column} : la cellule est vide ; il faut une valeur comme ' +
    '{example}',
  [sentences.noDate]:
    "Ligne {line}, colonne {column} : {value} n'est pas une date au format {formats}, " +
    'comme {example}',
  [sentences.noKind]:
    "Ligne {line}, colonne {column} : {value} n'est pas un type de ligne connu ; la " +
    'description du relevé connaît {known}',
  [sentences.noStatus]:
    "Ligne {line}, colonne {column} : {value} n'est pas un statut connu ; la description " +
    'du relevé connaît {known}',
  [sentences.noSign]:
    "Ligne {line}, colonne {column} : {value} n'est pas un sens connu ; la description du " +
    'relevé connaît {known}',
  [sentences.noBoolean]:
    "Ligne {line}, colonne {column} : {value} n'est ni vrai (true) ni faux (false)",
  [sentences.zero]:
    'Ligne {line}, colonne {column} : le montant est zéro ; il doit être comme 15000',
  [sentences.againstSign]:
    "Ligne {line}, colonne {column} : {value} est négatif, mais la ligne dit que l'argent " +
    'est entré',
  [sentences.negative]:
    'Ligne {line}, colonne {column} : {value} est négatif ; il faut un montant comme 15000',
  [sentences.notNegative]:
    "Ligne {line}, colonne {column} : {value} n'est pas négatif ; il faut un montant " +
    'comme -150',
  [sentences.twoSides]:
    "Ligne {line}, colonne {column} : la ligne a un débit et un crédit ; l'un des deux " +
    'doit être vide',
  [sentences.noSide]:
    "Ligne {line}, colonne {column} : la ligne n'a ni débit ni crédit, comme 15000",
  [sentences.cents]:
    "Ligne {line}, colonne {column} : {value} n'est pas un nombre entier de francs, comme " +
    '15000',
  [sentences.ambiguous]:
    'Ligne {line}, colonne {column} : {value} peut être des milliers ou une fraction ; la ' +
    'description du relevé doit dire ce qui précède les centimes ("decimal": "." ou ",")',
  [sentences.unreadable]:
    "Ligne {line}, colonne {column} : {value} n'est pas un montant en francs, comme 15000",
  [sentences.feesAbove]:
    'Ligne {line}, colonne {column} : {value} ne dépasse pas les frais de la ligne, {fee} ' +
    'francs',
  [sentences.shortened]:
    'Ligne {line}, colonne {column} : un tableur a pris {value} pour un nombre et en a ' +
    "coupé des chiffres ; reprenez le fichier chez le prestataire sans l'enregistrer avec un " +
    'tableur',
  [sentences.noReference]:
    'Ligne {line}, colonne {column} : une référence tient sur une ligne de {lengthMax} ' +
    'caractères au plus, comme MP261116.1030.A12345',
  [sentences.otherCurrency]:
    "Ligne {line}, colonne {column} : {value} n'est pas la devise de ce compte, {known}",
  [sentences.tooWide]: "La ligne {line} a {count} cellules, mais il n'y a que {titles} titres",
  [sentences.outOfOrder]:
    'La ligne {line} vient après la ligne {before} : les lignes du fichier sont en désordre',
  [sentences.wrongOrder]:
    'Ligne {line} : les lignes vont du {first} au {last} ; la description du relevé doit ' +
    'dire "order": "{order}"',
  [sentences.twoTitles]:
    "Ligne {line} : {count} colonnes s'appellent {title} ; nommez-en une par {title}#1",
  [sentences.noTitle]: "Le fichier n'a pas de colonne {title} ; la ligne {line} a {titles}",
  [sentences.noTitles]:
    "Les {rows} premières lignes n'ont aucun des titres de la description du relevé, " +
    'comme {title}',
  [sentences.noMapping]:
    'Les titres de ce fichier ne sont pas connus : une description des relevés de ce ' +
    'prestataire doit dire ce que sont les colonnes',
  [sentences.noBalance]:
    "Ligne {line} : {label} n'est suivi d'aucun montant en francs, comme 15000",
  [sentences.skippedRule]:
    'La ligne {line} a été laissée de côté, comme le dit la description du relevé : {text}',
  [sentences.skippedTitles]: 'La ligne {line} a été laissée de côté : ce sont les titres, répétés',
  [sentences.skippedInformation]:
    "Ligne {line} : {column} a été laissé de côté : c'est une information, non comptabilisée",
  [sentences.otherSum]:
    'Ligne {line}, colonne {column} : le montant est {value}, mais ses opérations font ' +
    '{sum} francs',
  [sentences.otherCount]: 'Ligne {line} : le relevé annonce {told} écritures, mais en a {count}',
  [sentences.manyAccounts]: 'Ligne {line} : le fichier a plus de {accountsMax} comptes',
  [sentences.notFollowing]:
    "Ligne {line} : le relevé s'ouvre avec {opening} francs, mais le précédent se ferme " +
    'avec {closing} ; envoyez un fichier pour chacun',
  [sentences.noStatement]:
    "Ce fichier XML n'a pas de relevé : envoyez un fichier camt.053, CSV ou XLSX",
  [sentences.otherDocument]:
    "Ligne {line} : {name} n'est pas un relevé lisible : envoyez un fichier " +
    'camt.053.001.02 à 001.13, CSV ou XLSX',
  [sentences.tooMuch]: 'Les montants du fichier dépassent, tous ensemble, ce qui peut être compté',
  [sentences.malformed]: 'Ligne {line} : le XML est illisible : {reason}',
  [sentences.longElement]: 'Ligne {line} : un élément dépasse {lengthMax} caractères',
  'The workbook has too many different texts: save it as CSV':
    'Le classeur a trop de textes différents : enregistrez-le en CSV',
  'The fees must be an object of JSON, by kind of line':
    'Les frais doivent être un objet JSON, par type de ligne',
  'columns.reference or columns.ourReference is required':
    'columns.reference ou columns.ourReference est obligatoire',
  '{field} must be a letter such as C in a file without titles, not {name}':
    'dans un fichier sans titres, {field} doit être une lettre comme C, pas {name}',
  'columns must have either amount, or both debit and credit':
    'columns doit avoir soit amount, soit debit et credit',
  'signs is required, such as {example}': 'signs est obligatoire, comme {example}',
  'The direction of amounts is not told: columns must have debit and credit, sign or kind':
    "Le sens des montants n'est pas dit : columns doit avoir debit et credit, sign ou kind",
  'kinds is required, such as {example}': 'kinds est obligatoire, comme {example}',
  'columns.kind is required, or always must have in and out, such as {example}':
    'columns.kind est obligatoire, ou always doit avoir in et out, comme {example}',
  'statuses is required, such as {example}': 'statuses est obligatoire, comme {example}',
  '{field}: {word} is there twice with different meanings':
    '{field} : {word} y est deux fois avec des sens différents',
  'dates: {format} is not a format; write one such as dd/MM/yyyy HH:mm:ss, iso or excel':
    "dates : {format} n'est pas un format ; écrivez par exemple dd/MM/yyyy HH:mm:ss, iso ou excel",
  'timeZone: {timeZone} is not known; write one such as Africa/Douala':
    "timeZone : {timeZone} n'est pas connu ; écrivez par exemple Africa/Douala",
  'dates: {text} is two dates by {format} and {other}':
    'dates : {text} donne deux dates selon {format} et {other}',
  'skip: each rule must have is, begins or isEmpty':
    'skip : chaque règle doit avoir is, begins ou isEmpty',
  'balances: opening and closing must not begin alike':
    'balances : opening et closing ne doivent pas commencer de la même façon',
  '{field} must be true or false': '{field} doit être true ou false',
  '{field} must be a string of 1 to {maxLength} characters':
    '{field} doit être un texte de 1 à {maxLength} caractères',
  '{field} must be an array of {min} to {max}': '{field} doit être une liste de {min} à {max}',
  'A mapping is an object of JSON, such as {example}':
    'Une description de relevé est un objet JSON, comme {example}',
  '{field} must be an object of JSON': '{field} doit être un objet JSON',
  '{field} has more than {maxProperties} words': '{field} a plus de {maxProperties} mots',
  '{field} is not known here: {known}': "{field} n'est pas connu ici : {known}",
  'dates: say how {text} is written': 'dates : dites comment {text} est écrit',
  'dates: {text} may be {format} or {other}; keep one of them':
    'dates : {text} peut être {format} ou {other} ; gardez-en un',
  'decimal: say whether . or , stands before cents in {text}':
    'decimal : dites si . ou , précède les centimes dans {text}',
  '{field}: say what {word} means': '{field} : dites ce que veut dire {word}',
}
