import { sentences } from '../statements/sentences.ts'

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
    "coupé des chiffres ; reprenez le fichier chez l'opérateur sans l'enregistrer avec un " +
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
    'Les titres de ce fichier ne sont pas connus : une description des relevés de cet ' +
    'opérateur doit dire ce que sont les colonnes',
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
  [sentences.malformed]: 'Ligne {line} : le XML est illisible : {reason}',
  [sentences.longElement]: 'Ligne {line} : un élément dépasse {lengthMax} caractères',
  'The workbook has too many different texts: save it as CSV':
    'Le classeur a trop de textes différents : enregistrez-le en CSV',
}
