import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '#electron/cli/commands.ts'
import { SCENARIOS } from '#electron/simulator/partner.ts'
import { openApiDocument } from '#server/http/openapi.ts'
import { RETRY_SCHEDULES } from '#server/jobs/retry-schedules.ts'
import { CALL_LIMITS } from '#server/webhooks/exchange.ts'
import { EXAM_CHECKS } from '#shared/contract/dashboard-exams.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { interfaceOperations } from '#shared/contract/operations.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { Envelope, EVENT_TYPES, EVENTS, type EventType } from '#shared/contract/webhooks.ts'
import { ERRORS } from '#shared/errors.ts'
import type { StudyId } from '#shared/ids.ts'
import en from '#shared/messages/en.json' with { type: 'json' }
import { apiReference } from '../../scripts/docs/api-reference.ts'
import { allWords } from '../e2e/words.ts'
import {
  blocksOf,
  type DocumentedCall,
  type DocumentPage,
  differences,
  documentOf,
  documentPages,
  documentsFolder,
  isShown,
  openTerminal,
  rowsOf,
  type Step,
  stepsOf,
  type Terminal,
} from '../support/documented-calls.ts'
import { callerOf, sessionHeaders } from '../support/gateway.ts'
import { until } from '../support/imaging-clinic.ts'
import { needs } from '../support/needs.ts'
import { readingWindow } from '../support/reporting-clinic.ts'

// What stands in the documents is so: the examples for partners are run, the names of the window
// are its names, figures are those of the code.

const textOf = (pages: readonly DocumentPage[]) => pages.map(({ text }) => text).join('\n')
const PARTNERS = textOf(documentPages('PARTNERS.md'))
const EXAMPLE_PAGES = documentPages('PARTNER-EXAMPLES.md')
const EXAMPLES = textOf(EXAMPLE_PAGES)
const EVENT_PAGES = documentPages('EVENTS.md')
const EVENTS_TEXT = textOf(EVENT_PAGES)
/** Without the calls of the sandbox, which have a page of their own. */
const ofPartners = () =>
  interfaceOperations().filter(({ operation }) => operation.access !== 'sandbox')
const REPORT = 'Findings:\nThe lungs are clear.\n\nImpression:\nNormal chest.'
const READER = { email: 'reader@clinic.example', password: 'seven calm otters' }
const OWNER = { email: 'owner@clinic.example', password: 'eight early herons' }
/** Ports that the document shows. */
const PORTS = [8042, 8043, 8044, 8045, 8443, 11112]

describe('the examples for partner developers', () => {
  let terminal: Terminal
  let ownerMade = false
  const calls: DocumentedCall[] = []
  const http = () => `http://127.0.0.1:${terminal.port(8042)}`
  const as = async (login: typeof OWNER) => callerOf(http(), await sessionHeaders(http(), login))

  beforeAll(async () => {
    terminal = await openTerminal(PORTS)
  })
  afterAll(() => terminal?.[Symbol.asyncDispose]())

  async function owner() {
    const words = `--email ${OWNER.email} --first-name Olga --last-name Berg --level owner --password-stdin`
    const make = `echo "${OWNER.password}" | npm run -s gateway -- user create --data "$ISTHMUS_DATA" ${words}`
    if (!ownerMade) expect(await terminal.run(make)).toMatchObject({ exitCode: 0 })
    ownerMade = true
    return as(OWNER)
  }

  async function sign(studyId: string): Promise<void> {
    const window = readingWindow(await as(READER), studyId as StudyId)
    await window.begin()
    await window.save(REPORT)
    const first = await window.sign()
    if (first.outcome === 'checks')
      await window.sign({ acknowledged: first.findings.map(({ check }) => check) })
    await until(async () =>
      expect((await window.read()).reports[0]?.delivery).toMatchObject({ state: 'delivered' }),
    )
  }

  /** What the test button of the window does, for each event. */
  async function testPartner(shownPort: number): Promise<void> {
    const call = await owner()
    const { endpoints } = await call(dashboardEvents.endpoints, {})
    const { endpointId = '', url = '' } = endpoints.find(({ isDefault }) => isDefault) ?? {}
    const goTo = (to: string) =>
      call(dashboardEvents.changeEndpoint, {
        params: { endpointId },
        body: { url: to, allowPlaintext: true },
      })
    await goTo(`http://127.0.0.1:${terminal.port(shownPort)}/`)
    for (const type of EVENT_TYPES) {
      const { success, message } = await call(dashboardEvents.test, { body: { type, endpointId } })
      expect([type, success, message]).toEqual([type, true, message])
    }
    await goTo(url)
  }

  /**
   * Events are of the contract, and answers are taken with nothing left out: the dry run of the
   * window says so.
   */
  async function readEvents(): Promise<void> {
    const call = await owner()
    const shown = blocksOf(EVENTS_TEXT).filter(({ info }) => info !== '')
    for (const part of ['event', 'answer']) {
      const types = shown.flatMap(({ info }) =>
        info.startsWith(`${part} `) ? [info.slice(part.length + 1)] : [],
      )
      expect(types.toSorted()).toEqual([...EVENT_TYPES].toSorted())
    }
    for (const { info, text } of shown) {
      const [part, type] = info.split(' ') as ['event' | 'answer', EventType]
      const json = JSON.parse(text)
      if (part === 'event') {
        expect([type, Envelope.parse(json).type]).toEqual([type, type])
        // What is not of the contract would be taken away.
        expect([type, EVENTS[type].data.parse(json.data)]).toEqual([type, json.data])
        continue
      }
      const studyInstanceUid = json.manifest?.studyInstanceUID
      const verdict = await call(dashboardEvents.dryRun, {
        body: { type, body: text, ...(studyInstanceUid && { studyInstanceUid }) },
      })
      expect([type, verdict.outcome, verdict.notes]).toEqual([type, 'accepted', []])
    }
  }

  const ACTS: Readonly<Record<string, () => Promise<void>>> = {
    'the radiologist signs the report of STUDY_ID': async () =>
      sign(await terminal.value('STUDY_ID')),
    'the gateway tests its partner at 8044 with every event': () => testPartner(8044),
    'the gateway tests its partner at 8045 with every event': () => testPartner(8045),
    'the gateway reads the events and answers above': readEvents,
  }

  async function run({ text, status, json, output }: Step): Promise<void> {
    const ran = await terminal.run(text)
    calls.push(...ran.calls)
    expect(ran, ran.complaints).toMatchObject({ exitCode: 0 })
    if (status !== undefined) expect(ran.calls.at(-1)?.status, ran.output).toBe(status)
    if (json !== undefined) {
      const last = ran.output.trim().split('\n').at(-1) ?? ''
      expect(differences(JSON.parse(json), JSON.parse(last)), last).toEqual([])
    }
    const lines = (printed: string) => printed.trim().split(/\s*\n/)
    if (output !== undefined && !isShown(lines(output).join('\n'), lines(ran.output).join('\n')))
      expect(lines(ran.output)).toEqual(lines(output))
  }

  const titled = [...EXAMPLE_PAGES, ...EVENT_PAGES].flatMap((page) =>
    stepsOf(page.text).map((step) => ({
      ...step,
      title: `${page.name}:${step.line}, ${step.heading}: ${step.name || step.text.split('\n')[0]}`,
    })),
  )

  it.for(titled)('are what they say, $title', { timeout: 60_000 }, async (step, context) => {
    needs(context, 'curl', ...(/8045|python3/.test(step.text) ? (['python'] as const) : []))
    if (step.kind === 'file') {
      expect(step.name, 'its first line names the file').not.toBe('')
      terminal.keep(step.name, step.text)
    } else if (step.kind === 'sh') await run(step)
    else {
      expect(Object.keys(ACTS), 'comments of this document are for the test').toContain(step.text)
      await ACTS[step.text]?.()
    }
  })

  it('have made every call of the interface', (context) => {
    needs(context, 'curl')
    const ways = ofPartners().map(({ operation: { method, path } }) => ({
      name: `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
      fits: (call: DocumentedCall) =>
        call.method === method &&
        new RegExp(`^${path.replace(/:\w+/g, '(?!by-uid|invitations)[^/]+')}$`).test(
          call.url.pathname,
        ),
    }))
    expect(ways.filter(({ fits }) => !calls.some(fits)).map(({ name }) => name)).toEqual([])
  })
})

describe('the tables for partner developers', () => {
  it('have every call of the interface, once', () => {
    const shown = rowsOf(EXAMPLES, /^(GET|POST|PATCH|PUT|DELETE) \//).map(([call]) => call)
    const contract = ofPartners().map(
      ({ operation: { method, path } }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    )
    expect(shown.toSorted()).toEqual(contract.toSorted())
    const ofSandbox = rowsOf(documentOf('SANDBOX.md'), /^(GET|POST) \//).map(([call]) => call)
    const calls = interfaceOperations().map(
      ({ operation: { method, path } }) => `${method} ${path}`,
    )
    expect(ofSandbox.toSorted()).toEqual(
      calls.filter((call) => call.includes('/v1/sandbox')).toSorted(),
    )
  })

  it('have every refusal that a partner can meet, with its status', () => {
    const OF_THE_WINDOW = new Set([
      'not-signed-in',
      'locked',
      'workstation-unknown',
      'confirm-identity',
      'outdated',
    ])
    const shown = rowsOf(PARTNERS, /^\d{3}$/).map(([status, code]) => [code, Number(status)])
    const spoken = Object.entries(ERRORS).flatMap(([code, { status }]) =>
      OF_THE_WINDOW.has(code) ? [] : [[code, status]],
    )
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(spoken))
  })

  it('have every event with its kind and the time it may take', () => {
    const shown = rowsOf(EVENTS_TEXT, /^\w+\.\w+ed$/).map(([event, kind, seconds]) => [
      event,
      kind,
      Number(seconds),
    ])
    const real = EVENT_TYPES.map((type) => [
      type,
      EVENTS[type].kind,
      CALL_LIMITS[type].budgetMs / 1000,
    ])
    expect(shown.toSorted()).toEqual(real.toSorted())
  })

  it('have every way in which the simulated partner behaves', () => {
    const shown = rowsOf(EXAMPLES.slice(EXAMPLES.indexOf('| scenario |')), /^[a-z]+$/).map(
      ([name]) => name,
    )
    expect(shown.filter((name) => name !== 'scenario').toSorted()).toEqual(
      [...SCENARIOS].toSorted(),
    )
  })

  it('have the waits between tries of a report', () => {
    const worded = (ms: number) =>
      ms < 60_000 ? `${ms / 1000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
    expect(EVENTS_TEXT.replace(/\s+/g, ' ')).toContain(
      RETRY_SCHEDULES.reportDelivery.waits.map(worded).join(', '),
    )
  })

  it('name the OpenAPI document that is there', () => {
    const shown = JSON.parse(documentOf('openapi.json')) as { paths: object }
    expect(Object.keys(shown.paths)).toEqual(
      Object.keys(openApiDocument({ version: '1' }).paths as object),
    )
  })
})

it('API.md and its pages are the reference that the OpenAPI document gives', () => {
  const made = apiReference()
  for (const [name, text] of made) expect([name, documentOf(name)]).toEqual([name, text])
  const kept = readdirSync(join(documentsFolder, 'api')).map((file) => `api/${file}`)
  expect(['API.md', ...kept].toSorted()).toEqual([...made.keys()].toSorted())
})

const USER_DOCUMENTS = [
  'STAFF.md',
  'ADMINISTRATION.md',
  'DEVICES.md',
  'PARTNERS.md',
  'PARTNER-EXAMPLES.md',
] as const
/** Without what is code. */
const prose = (markdown: string) =>
  markdown.replace(/^```.*?^```$/gms, '').replace(/<!--.*?-->/gs, '')

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** The links of a page to a file or a heading that does not exist. */
function brokenLinks({ name, text }: DocumentPage): string[] {
  const links = [...prose(text).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)]
  return links.flatMap(([link, path = '', anchor]) => {
    const file = path === '' ? name : join(dirname(name), path)
    if (!existsSync(join(documentsFolder, file))) return [link]
    if (anchor === undefined) return []
    const headings = [...documentOf(file).matchAll(/^#+ (.*)$/gm)]
    return headings.some(([, heading = '']) => anchorOf(heading) === anchor) ? [] : [link]
  })
}

it('every page of docs/ links to files and headings that exist', () => {
  const files = readdirSync(documentsFolder, { recursive: true, encoding: 'utf8' })
  const pages = files.filter((file) => file.endsWith('.md'))
  const broken = pages.flatMap((name) =>
    brokenLinks({ name, text: documentOf(name) }).map((link) => `${name}: ${link}`),
  )
  expect(broken).toEqual([])
})

describe.each(USER_DOCUMENTS)('%s', (name) => {
  const pages = documentPages(name)
  const text = prose(textOf(pages))

  it('says of every picture what is on it', () => {
    const pictures = pages.flatMap((page) =>
      [...prose(page.text).matchAll(/!\[([^\]]*)\]\(([^)]*)\)/g)].map(
        ([, alt = '', file = '']) => [alt, join(dirname(page.name), file)] as const,
      ),
    )
    expect(pictures.length).toBeGreaterThan(0)
    for (const [alt, file] of pictures) {
      expect([file, alt.length > 40]).toEqual([file, true])
      expect([file, existsSync(join(documentsFolder, file))]).toEqual([file, true])
    }
  })

  it('names settings and commands that are there', () => {
    const codes = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
    const groups = new Set(Object.keys(SETTINGS).map((key) => key.split('.')[0]))
    const settings = codes.filter(
      (code) => /^[a-z]+\.[a-zA-Z]+$/.test(code) && groups.has(code.split('.')[0]),
    )
    expect(
      settings.filter(
        (key) => !Object.hasOwn(SETTINGS, key) && !(EVENT_TYPES as readonly string[]).includes(key),
      ),
    ).toEqual([])
    const commands = codes.flatMap(
      (code) => /^(?:npm run -s gateway --|isthmus) ([a-z-]+(?: [a-z]+)?)/.exec(code)?.[1] ?? [],
    )
    expect(
      commands.filter(
        (words) =>
          !Object.hasOwn(COMMANDS, words) && !Object.hasOwn(COMMANDS, words.split(' ')[0] ?? ''),
      ),
    ).toEqual([])
  })
})

it('DEVICES.md has every step between the partner and a device, in order', () => {
  const shown = rowsOf(documentOf('DEVICES.md'), /^\*\*[^*]+\*\*$/).map(([name = '']) =>
    name.replaceAll('*', ''),
  )
  const steps: readonly string[] = EXAM_CHECKS.map((check) => en[`ui.worklist.checks.${check}`])
  expect(shown.filter((name) => steps.includes(name))).toEqual(steps)
})

describe.each(['STAFF.md', 'ADMINISTRATION.md', 'DEVICES.md'] as const)('%s', (name) => {
  const text = prose(documentOf(name))

  it('has every **name of the window** as the window has it', () => {
    const texts = new Set(allWords().map(({ en }) => en))
    const names = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, one = '']) =>
      one.replace(/\s+/g, ' '),
    )
    expect(names.length).toBeGreaterThan(20)
    // The window adds the ellipsis of a button that opens a dialog.
    const isShown = (one: string) => texts.has(one) || texts.has(one.replace(/…$/, ''))
    expect([...new Set(names)].filter((one) => !isShown(one))).toEqual([])
  })

  it('has every “sentence” as the window or the gateway says it', () => {
    const spoken = sources()
    const quoted = [...text.matchAll(/“([^”]+)”/g)].map(([, one = '']) => one.replace(/\s+/g, ' '))
    expect(
      [...new Set(quoted)].filter(
        (one) => !one.split('…').every((part) => spoken.includes(part.trim())),
      ),
    ).toEqual([])
  })
})

/** The sources that speak to people, as one text. */
function sources(): string {
  const root = dirname(documentsFolder)
  return ['electron', 'renderer/src', 'shared']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(root, folder, file),
      ),
    )
    .filter((file) => /(\.tsx?|\ben\.json)$/.test(file) && !file.endsWith('.es.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
}
