import { fr, inBoth } from '#base/kit/texts.ts'
import type { Letterhead } from '#formats/tables/write-pdf.ts'
import type { Clients } from '#merchants/clients/open.ts'
import type { Visit } from './visit.ts'

const words = inBoth({
  fr: { taxNumber: (text: string) => fr`Identifiant fiscal : ${text}` },
  en: { taxNumber: (text: string) => `Tax number: ${text}` },
})

// What a PDF can hold; a logo in WebP is shown on pages only.
const printable = new Set(['image/png', 'image/jpeg'])

/** The head of a client's papers, such as statements and receipts. */
export async function letterheadOf(
  clients: Pick<Clients, 'paperHead'>,
  { client, language }: Visit,
): Promise<Letterhead> {
  const head = await clients.paperHead(client.id)
  const { address = null, taxNumber = null, mediaType = null, bytes = null } = head ?? {}
  return {
    name: head?.name ?? client.name,
    lines: [
      ...(address === null ? [] : [address]),
      ...(taxNumber === null ? [] : [words[language].taxNumber(taxNumber)]),
    ],
    logo: mediaType !== null && printable.has(mediaType) ? bytes : null,
  }
}
