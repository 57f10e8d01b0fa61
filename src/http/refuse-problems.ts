import type { FastifyRequest } from 'fastify'
import type { Reason } from '../catalog/refusal.ts'
import { Refusal } from '../catalog/refusal.ts'
import { describeViolations } from './violations.ts'

/**
 * Refuses a request whose body breaks its schema or the rules in `found`, all at once. For routes
 * with `attachValidation`. Where a rule speaks about a field, it knows better than the schema; of
 * `ignored` fields, whatever they say, nothing is expected.
 */
export function refuseProblems(
  request: FastifyRequest,
  found: Reason[],
  ruled: string[] = [],
  ignored: string[] = [],
): void {
  const violations = describeViolations(request.validationError?.validation ?? [])
  const bySchema = violations.filter(
    ({ field = '' }) =>
      !ignored.includes(field) && (!ruled.includes(field) || !hasWholeNumber(request.body, field)),
  )
  const all = new Map([...bySchema, ...found].map((one) => [one.field, one]))
  if (all.size > 0) throw new Refusal('validation_failed', ...all.values())
}

function hasWholeNumber(body: unknown, field: string): boolean {
  return (
    typeof body === 'object' && body !== null && Number.isInteger(body[field as keyof typeof body])
  )
}
