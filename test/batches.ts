import type { Batch } from '#backoffice/batches/batch.ts'
import type { Batches } from '#backoffice/batches/open.ts'

/** A file of payouts: `number;amount;service` and more in each line. */
export function payoutFile(lines: string[], header = 'Numéro;Montant;Service;Nom'): string {
  return [header, ...lines].join('\n')
}

/** Uploads a text as a file. */
export function upload(
  { batches }: { batches: Pick<Batches, 'upload'> },
  clientId: number,
  text: string | Buffer,
  name = 'Salaires',
): Promise<Batch> {
  const file = (async function* () {
    yield Buffer.from(text as string)
  })()
  return batches.upload({ clientId, actor: 'awa', name, fileName: 'salaires.csv', file })
}

/** Uploads, proposes as one person and approves as another. */
export async function approved(
  gateway: { batches: Pick<Batches, 'upload' | 'propose' | 'approve'> },
  clientId: number,
  lines: string[],
): Promise<Batch> {
  const { id } = await upload(gateway, clientId, payoutFile(lines))
  await gateway.batches.propose({ clientId, id, actor: 'awa' })
  return gateway.batches.approve({ clientId, id, actor: 'binta' })
}
