import type { Page } from 'playwright-core'
import { newId } from '#base/kit/ids.ts'
import { type Language, languages } from '#base/kit/language.ts'
import { addPerson, cookiesOf, type SignedIn, signIn, switchFactorOn } from '../dashboard.ts'
import { eventually } from '../wait.ts'
import { findAddresses } from './crawl.ts'
import {
  type DashboardScene,
  guestScenes,
  merchantScenes,
  operatorScenes,
  quietScenes,
  refusedForms,
  type Who,
} from './dashboard-scenes.ts'
import { takeGuides } from './guides.ts'
import { looksIn, looksOf, type Parts, type Picture, takePictures } from './looks.ts'
import { makeMerchantStates } from './merchant-states.ts'
import { makeOperatorStates } from './operator-states.ts'
import { routeOf, screenRoutes } from './routes.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'

const allLooks = looksOf([360, 1280])

/**
 * Takes pictures of every screen of the dashboard, and of the guides; a route without one is a
 * problem.
 */
export async function takeDashboard(parts: Parts): Promise<Picture[]> {
  const sandbox = await openSandbox()
  const studio = openStudio(parts, sandbox)
  const pictures: Picture[] = []
  const take = async (scenes: DashboardScene[]) => {
    for (const language of languages) {
      await studio.speak(language)
      for (const scene of scenes)
        if (parts.isWanted(nameOf(scene))) pictures.push(...(await studio.take(scene, language)))
    }
  }
  try {
    studio.people.set('owner', await signIn(sandbox.url, 'demo@passerelle.test', 'demo'))
    studio.people.set('operator', await signIn(sandbox.url, 'ops@passerelle.test', 'ops'))
    await take(quietScenes)
    const { scenes, missing } = await prepareScenes(sandbox, studio.people)
    await take(scenes)
    return [...pictures, ...(await takeGuides(parts, sandbox.url)), ...missing]
  } finally {
    await sandbox.close()
  }
}

function nameOf({ who, name }: DashboardScene): string {
  return `${who}-${name}`
}

/** Makes the states that screens need, and finds an address of each route. */
async function prepareScenes(sandbox: Sandbox, people: Map<Who, SignedIn>) {
  const owner = people.get('owner') as SignedIn
  const operator = people.get('operator') as SignedIn
  const merchant = await makeMerchantStates(sandbox, owner)
  const made = await makeOperatorStates(sandbox, operator, merchant)
  people.set('newcomer', made.newcomer)
  people.set('support', await signIn(sandbox.url, 'ibou@boutique.example'))
  people.set('finance-operator', made.binta)
  people.set('absent-operator', await signAbsentIn(sandbox))
  const routes = screenRoutes()
  // The list begins with the newest client, which has nothing.
  const firstClient = '/dashboard/ops/clients/1/keys'
  const crawled = [
    ...(await crawl('owner', owner, ['/dashboard'], routes)),
    ...(await crawl('operator', operator, ['/dashboard/ops', firstClient], routes)),
    ...(await crawl('newcomer', made.newcomer, ['/dashboard'], routes)),
  ]
  const scenes = [
    ...guestScenes(await makeCodes(sandbox)),
    ...crawled,
    ...merchantScenes(merchant),
    ...operatorScenes(made, merchant),
    ...refusedForms,
    ...otherRoles(merchant.payments.paid),
  ]
  const shown = new Set(scenes.map(({ path }) => routeOf(routes, path)))
  // Reached by what is done on the page before.
  shown.add('/dashboard/sign-in/code')
  const missing = routes
    .filter((route) => !shown.has(route))
    .map((route) => ({ screen: route, file: '', problems: ['no address of this route is known'] }))
  return { scenes, missing }
}

async function crawl(
  who: Who,
  person: SignedIn,
  starts: string[],
  routes: string[],
): Promise<DashboardScene[]> {
  const found = await findAddresses(person, starts, routes)
  return [...found]
    .filter(([route]) => who !== 'newcomer' || !route.includes(':'))
    .map(([route, path]) => ({
      who,
      name: route.replace(/^\/dashboard(\/ops)?\/?/, '').replaceAll(/[/:]+/g, '-') || 'home',
      path,
    }))
}

function otherRoles(paid: string): DashboardScene[] {
  const confirm = '/dashboard/ops/limits/blocks'
  return [
    { who: 'support', name: 'transaction', path: `/dashboard/transactions/${paid}` },
    { who: 'support', name: 'forbidden', path: '/dashboard/audit', status: 403 },
    { who: 'finance-operator', name: 'providers', path: '/dashboard/ops/providers/WALLETA_SN' },
    {
      who: 'absent-operator',
      name: 'confirm',
      path: confirm,
      act: async (page) => {
        await page.fill('#number', '771110001')
        await page.fill('#reason', 'fraude')
        await page.click(`main form[action="${confirm}"] button`)
        await page.waitForSelector('#confirm-password')
      },
    },
  ]
}

/** An operator with a passkey who has proved who they are too long ago. */
async function signAbsentIn({ db, url }: Sandbox): Promise<SignedIn> {
  const email = 'cheikh@ops.example'
  await addPerson({ db }, { operatorRole: 'operator', email })
  const person = await signIn(url, email)
  await db`
    insert into passkeys (id, person_id, name, public_key, counter, transports, created_at)
    select ${newId(new Date())}, id, 'Téléphone', '\\x00', 0, '{internal}', now()
    from people where email = ${email}`
  await db`
    update sessions set confirmed_at = now() - interval '1 day'
    where person_id = (select id from people where email = ${email})`
  return person
}

/** The addresses in mails, and a person whose sign-in has two steps. */
async function makeCodes({ db, url }: Sandbox) {
  const email = 'deux.etapes@boutique.example'
  await addPerson({ db }, { email, clientId: 1, role: 'viewer' })
  await switchFactorOn(await signIn(url, email))
  const body = new URLSearchParams({ email })
  await fetch(`${url}/dashboard/forgotten`, { method: 'POST', body, redirect: 'manual' })
  const codeOf = (kind: string) =>
    eventually(`a mail of the kind ${kind}`, async () => {
      const [row] = await db<{ text: string }>`
        select text_body as text from mails where kind = ${kind} order by id desc limit 1`
      return /\/dashboard\/(?:join|reset)\/\S+/.exec(row?.text ?? '')?.[0]
    })
  return { join: await codeOf('invitation'), reset: await codeOf('password'), email }
}

/** Pages for each person, each opened once and then led from screen to screen. */
function openStudio({ browser, folder, isQuick }: Parts, { db, url }: Sandbox) {
  const people = new Map<Who, SignedIn>()
  const pages = new Map<Who, Page>()
  let problems: string[] = []

  async function pageOf(who: Who): Promise<Page> {
    const known = pages.get(who)
    if (known !== undefined) return known
    const context = await browser.newContext()
    await context.addCookies(cookiesOf(people.get(who), url))
    const page = await context.newPage()
    page.on('pageerror', (problem) => problems.push(String(problem)))
    page.on('console', (message) => {
      const isOurs = message.type() === 'error' && !message.text().includes('status of')
      if (isOurs) problems.push(message.text())
    })
    pages.set(who, page)
    return page
  }

  return {
    people,
    /** Sets the language of everybody who is signed in. */
    speak: (language: string) => db`update people set language = ${language}`,
    take: async (scene: DashboardScene, language: Language): Promise<Picture[]> => {
      const { who, path, act, status = 200 } = scene
      problems = []
      await keepConfirmed()
      const page = await pageOf(who)
      if (who === 'guest') await page.context().clearCookies()
      const query = `${path.includes('?') ? '&' : '?'}lang=${language}`
      const answer = await page.goto(`${url}${path}${who === 'guest' ? query : ''}`)
      if (answer?.status() !== status) problems.push(`answers ${answer?.status()}, not ${status}`)
      await act?.(page).catch((problem: unknown) => problems.push(String(problem).slice(0, 300)))
      const looks = looksIn(language, allLooks, isQuick)
      const taken = await takePictures(page, { folder, screen: nameOf(scene), language, looks })
      const [first] = taken
      first?.problems.push(...problems)
      process.stdout.write(`${nameOf(scene)} ${language}\n`)
      return taken
    },
  }

  /** A run takes longer than a person stays confirmed. */
  async function keepConfirmed(): Promise<void> {
    await db`
      update sessions set confirmed_at = now()
      where confirmed_at > now() - interval '12 hours'`
  }
}
