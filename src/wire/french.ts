/** French for every sentence a caller can be answered with, under its English text. */
export const french: Record<string, string> = {
  'Invalid API KEY': 'Clé API invalide',
  'The Authorization header must be: Bearer <API_KEY>':
    "L'en-tête Authorization doit être : Bearer <API_KEY>",
  'This key cannot be used from {address}': 'Cette clé ne peut pas être utilisée depuis {address}',
  'This key can only read': 'Cette clé ne permet que la lecture',
  'Too many requests: at most {max} a minute, try again in {seconds} s':
    'Trop de requêtes : {max} par minute au plus, réessayez dans {seconds} s',
  'API under maintenance': 'API en maintenance',
  'The service {code} is under maintenance': 'Le service {code} est en maintenance',
  'The service is busy, please try again shortly':
    'Le service est très sollicité, réessayez dans un instant',
  'The service cannot answer right now, please try again shortly':
    'Le service ne peut pas répondre pour le moment, réessayez dans un instant',
  'Something went wrong on our side': 'Une erreur est survenue de notre côté',
  'There is nothing at {method} {path}': "Il n'y a rien à {method} {path}",
  '{method} is not allowed here, only {allowed}':
    "{method} n'est pas permis ici, seulement {allowed}",
  'The request could not be understood': "La requête n'a pas pu être comprise",
  'The request took too long to arrive': 'La requête a mis trop de temps à arriver',
  'The headers are too large': 'Les en-têtes sont trop longs',
  'The body is not valid JSON': "Le corps n'est pas du JSON valide",
  'The body is not valid UTF-8': "Le corps n'est pas de l'UTF-8 valide",
  'The body must be a JSON object': 'Le corps doit être un objet JSON',
  'The body must be JSON (Content-Type: application/json)':
    'Le corps doit être du JSON (Content-Type: application/json)',
  'The body is larger than {bytes} bytes': 'Le corps dépasse {bytes} octets',
  '{field} must not contain control or broken characters':
    '{field} ne doit contenir ni caractère de contrôle ni caractère invalide',
  '{field} is required': '{field} est obligatoire',
  '{field} must be a whole number from {min} to {max}':
    '{field} doit être un nombre entier de {min} à {max}',
  '{field} must be a whole number of at least {min}':
    '{field} doit être un nombre entier supérieur ou égal à {min}',
  '{field} must be a whole number': '{field} doit être un nombre entier',
  '{field} must be a number': '{field} doit être un nombre',
  '{field} must be exactly 9 digits': '{field} doit comporter exactement 9 chiffres',
  '{field} must be a text': '{field} doit être un texte',
  '{field} must be a text of {min} to {max} characters':
    '{field} doit être un texte de {min} à {max} caractères',
  '{field} must be one of {choices}': "{field} doit être l'une des valeurs {choices}",
  '{field} must be a list': '{field} doit être une liste',
  '{field} must be true or false': '{field} doit être vrai ou faux',
  '{field} is not valid': "{field} n'est pas valide",
}
