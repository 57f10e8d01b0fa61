import type { FastifyReply } from 'fastify'
import { newId } from '#base/kit/ids.ts'
import { callerOf } from '#edge/http/caller.ts'
import type { Http } from '#edge/http/http.ts'
import { refuseProblems } from '#edge/http/refuse-problems.ts'
import { makingOf, type Repetition } from '#edge/idempotency/idempotency.ts'
import { checkPage, PageQuery, readPage } from '#edge/wire/pagination.ts'
import {
  checkSubMerchant,
  readSubMerchant,
  SubMerchantAnswer,
  SubMerchantBody,
  SubMerchantsAnswer,
  writeSubMerchantAnswer,
  writeSubMerchants,
} from '#edge/wire/sub-merchant.ts'
import type { SubMerchant } from '#merchants/sub-merchants/sub-merchant.ts'
import type { Context } from '../context.ts'
import { endpointRights } from '../endpoint-rights.ts'

export default function addSubMerchants(http: Http, { subMerchants }: Context): void {
  const repetition: Repetition = {
    newId,
    answer: async (request, reply, id) => {
      const made = await subMerchants.findMade(callerOf(request).clientId, id)
      return made && answer(reply, made)
    },
  }
  http.post(
    '/api/v1/sub-merchant',
    {
      schema: {
        operationId: 'createSubMerchant',
        summary: 'Create a sub-merchant',
        description:
          'A shop of yours, by the name that payers are shown. The first is the default.',
        tags: ['Sub-merchants'],
        body: SubMerchantBody,
        response: { 201: SubMerchantAnswer },
      },
      attachValidation: true,
      config: { rights: endpointRights.createSubMerchant, isMerchantOperation: true, repetition },
    },
    async (request, reply) => {
      refuseProblems(request, checkSubMerchant(request.body))
      const { clientId } = callerOf(request)
      const facts = readSubMerchant(request.body)
      return answer(reply, await subMerchants.create(clientId, facts, makingOf(request)))
    },
  )

  http.get(
    '/api/v1/sub-merchant',
    {
      schema: {
        operationId: 'listSubMerchants',
        summary: 'List sub-merchants',
        description: 'All of yours, oldest first, with those that are not active.',
        tags: ['Sub-merchants'],
        querystring: PageQuery,
        response: { 200: SubMerchantsAnswer },
      },
      attachValidation: true,
    },
    async (request) => {
      refuseProblems(request, checkPage(request.query))
      const page = readPage(request.query)
      return writeSubMerchants(await subMerchants.list(callerOf(request).clientId, page), page)
    },
  )
}

function answer(reply: FastifyReply, created: SubMerchant) {
  reply.code(201)
  return writeSubMerchantAnswer('Sub-merchant created successfully', created)
}
