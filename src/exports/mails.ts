import { formatDateTime } from '../kit/dates.ts'
import { oneLine } from '../kit/one-line.ts'
import { writeLetter } from '../mail/letter.ts'
import type { Mail } from '../mail/queue.ts'
import type { Person } from '../people/store.ts'
import type { Export } from './export.ts'

const nameMax = 80

/**
 * Tells that a file is ready. The address is that of its page, which asks to sign in and for the
 * same right: whoever reads the mail has nothing by it.
 */
export function readyMail(
  person: Pick<Person, 'email' | 'name' | 'language'>,
  { clientId, id, form, rows, expiresAt }: Export,
  url: string,
): Mail {
  const { email: to, language } = person
  const isFrench = language === 'fr'
  const name = oneLine(person.name, nameMax)
  const letter = writeLetter({
    language,
    greeting: isFrench ? `Bonjour ${name},` : `Hello ${name},`,
    opening: isFrench
      ? 'Le fichier que vous avez demandé est prêt.'
      : 'The file that you asked for is ready.',
    rows: isFrench
      ? [
          ['Format', form.toUpperCase()],
          ['Lignes', String(rows)],
          ['À télécharger avant le', formatDateTime(expiresAt, 'fr')],
        ]
      : [
          ['Format', form.toUpperCase()],
          ['Rows', String(rows)],
          ['Download it before', formatDateTime(expiresAt, 'en')],
        ],
    url,
    button: isFrench ? 'Télécharger' : 'Download',
    copy: isFrench ? 'Ou ouvrez cette adresse\u00a0:' : 'Or open this address:',
    reason: isFrench
      ? 'Vous devrez vous connecter. Vous recevez ce message car vous avez demandé ce fichier.'
      : 'You will have to sign in. You get this message because you asked for this file.',
  })
  const subject = isFrench ? 'Votre fichier est prêt' : 'Your file is ready'
  return { clientId, kind: 'export_ready', recordId: id, to, language, subject, ...letter }
}
