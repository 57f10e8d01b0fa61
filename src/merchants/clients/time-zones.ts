/** The zones that a client may have its dates in: those of the countries around. */
export const timeZones = [
  'Africa/Dakar',
  'Africa/Bamako',
  'Africa/Abidjan',
  'Africa/Douala',
  'Africa/Conakry',
  'Africa/Cotonou',
  'Africa/Lagos',
  'Africa/Lome',
  'Africa/Niamey',
  'Africa/Ouagadougou',
]
