import { Type } from 'typebox'
import type { Context } from '#doors/api/context.ts'
import { endpointRights } from '#doors/api/endpoint-rights.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import {
  checkSubMerchant,
  readSubMerchantChange,
  SubMerchantAnswer,
  SubMerchantPatch,
  writeSubMerchantAnswer,
} from '#edge/wire/sub-merchant.ts'

const url = '/api/v1/sub-merchant/:subMerchantId'
const shared = {
  tags: ['Sub-merchants'],
  params: Type.Object({ subMerchantId: Type.String() }),
  response: { 200: SubMerchantAnswer },
}

export default function addSubMerchant(http: Http, { subMerchants }: Context): void {
  const reading = {
    operationId: 'getSubMerchant',
    summary: 'Read a sub-merchant',
    description: 'With all that is known of it.',
  }
  http.get(url, { schema: { ...reading, ...shared } }, async (request) => {
    const { clientId } = callerOf(request)
    const found = await subMerchants.read(clientId, request.params.subMerchantId)
    return writeSubMerchantAnswer('Sub-merchant fetched successfully', found)
  })

  const changing = {
    operationId: 'updateSubMerchant',
    summary: 'Change a sub-merchant',
    description: 'Changes what the body names. An empty text forgets a detail.',
    body: SubMerchantPatch,
  }
  const options = {
    schema: { ...changing, ...shared },
    attachValidation: true,
    config: { rights: endpointRights.updateSubMerchant, isMerchantOperation: true },
  }
  http.patch(url, options, async (request) => {
    refuseProblems(request, checkSubMerchant(request.body))
    const { clientId } = callerOf(request)
    const change = readSubMerchantChange(request.body)
    const order = { clientId, id: request.params.subMerchantId, change }
    const changed = await subMerchants.change(order)
    return writeSubMerchantAnswer('Sub-merchant updated successfully', changed)
  })

  const ending = {
    operationId: 'deactivateSubMerchant',
    summary: 'Deactivate a sub-merchant',
    description: 'Payments cannot name it any more. It stays readable, and can be active again.',
  }
  const config = { rights: endpointRights.deactivateSubMerchant, isMerchantOperation: true }
  http.delete(url, { schema: { ...ending, ...shared }, config }, async (request) => {
    const { clientId } = callerOf(request)
    const change = { isActive: false }
    const order = { clientId, id: request.params.subMerchantId, change }
    const changed = await subMerchants.change(order)
    return writeSubMerchantAnswer('Sub-merchant deactivated successfully', changed)
  })
}
