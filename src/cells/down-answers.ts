/** What callers are told when no process of a cell answers: in the interface's form for errors. */
export const downAnswer = JSON.stringify({
  message: ['The service cannot answer right now, please try again shortly'],
  success: false,
  code: 'SERVICE_UNAVAILABLE',
  requestId: 'none',
})

/** The same for people, without a resource that would have to come from the cell. */
export const downPage =
  '<!doctype html><html lang="fr"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width,initial-scale=1">' +
  '<meta http-equiv="refresh" content="10"><title>Un instant</title></head>' +
  '<body><h1>Un instant</h1><p>La page ne répond pas. Elle se recharge seule dans dix secondes. ' +
  'Si vous avez déjà payé, ne payez pas une deuxième fois.</p>' +
  '<p lang="en">One moment: this page reloads by itself in ten seconds. ' +
  'If you have paid already, do not pay again.</p></body></html>'

export const downSeconds = 5

/** Addresses of pages for people, as a regular expression of PCRE. */
export const pagePattern = '/process/|^(/cells/[^/]+)?/dashboard'
