import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { StudyId } from '#shared/ids.ts'
import { documentOf, isShown, openTerminal, type Step, stepsOf } from './documented-calls.ts'
import { callerOf, sessionHeaders } from './gateway.ts'
import { httpCall } from './http-call.ts'
import { readingWindow } from './reporting-clinic.ts'
import { tempFolder } from './temp-store.ts'

// Follows PARTNERS.md as a new integrator does, from the first command to the first report:
// nothing is run but what stands there, and nothing is typed but what stands there.

const ROOT = join(import.meta.dirname, '../..')
const PORTS = [8042, 8044, 8443, 11112]

export type PathLanguage = 'JavaScript' | 'Python'

export interface PathTools {
  readonly language: PathLanguage
  /** The Node that runs npm and the programs of the page. */
  readonly node: string
  /** The Python that runs the programs of the page. */
  readonly python: string
}

/** Seconds from the first command of the page. */
export interface PathTimes {
  readonly firstCall: number
  readonly signatureVerified: number
  readonly firstReport: number
}

/** The steps of the page for one language; those of the other are left out. */
export function pathSteps(language: PathLanguage): Step[] {
  const steps = stepsOf(documentOf('PARTNERS.md'))
  const isOther = ({ heading }: Step) =>
    /^In (JavaScript|Python)/.test(heading) && !heading.startsWith(`In ${language}`)
  return steps.filter((step) => !isOther(step))
}

/**
 * Runs the page. @throws Error naming the line of the page whose result is not the one shown there
 */
export async function followPath({ language, node, python }: PathTools): Promise<PathTimes> {
  using temp = tempFolder()
  const path = toolsOf(temp.folder, node, python)
  await using terminal = await openTerminal(PORTS, { folder: cloneIn(temp.folder), path })
  const began = performance.now()
  const times: Partial<Record<keyof PathTimes, number>> = {}
  for (const step of pathSteps(language)) {
    if (step.kind === 'act') await sign(terminal.port(8042))
    else {
      const text =
        step.kind === 'file'
          ? `cat > ${step.name} <<'END OF THE PROGRAM'\n${step.text}END OF THE PROGRAM\n`
          : step.text
      const ran = await terminal.run(text)
      const fault = faultOf(step, ran)
      if (fault) throw new Error(`PARTNERS.md, line ${step.line}: ${fault}\n${ran.complaints}`)
    }
    const seconds = (performance.now() - began) / 1000
    if (step.heading.startsWith('2.')) times.firstCall ??= seconds
    if (step.heading.startsWith('4.')) times.signatureVerified ??= seconds
    if (step.text.includes('receiver.log\n') && step.heading.startsWith('5.'))
      times.firstReport ??= seconds
  }
  const { firstCall, signatureVerified, firstReport } = times
  if (firstCall === undefined || signatureVerified === undefined || firstReport === undefined)
    throw new Error('PARTNERS.md has no first call, no signature or no report.')
  return { firstCall, signatureVerified, firstReport }
}

function faultOf(step: Step, ran: { readonly exitCode: number; readonly output: string }) {
  if (ran.exitCode !== 0) return `it ended with ${ran.exitCode}`
  const lines = (text: string) => text.trim().split(/\s*\n/).join('\n')
  if (step.output !== undefined && !isShown(lines(step.output), lines(ran.output)))
    return `it printed ${ran.output}`
  if (
    step.json !== undefined &&
    JSON.stringify(JSON.parse(step.json)) !== JSON.stringify(JSON.parse(ran.output))
  )
    return `it answered ${ran.output}`
  return undefined
}

/** A clone as far as its packages are installed: links to what is in the real one. */
function cloneIn(folder: string): string {
  const clone = join(folder, 'isthmus')
  mkdirSync(clone)
  for (const name of readdirSync(ROOT))
    if (name !== '.git') symlinkSync(join(ROOT, name), join(clone, name))
  return clone
}

/** Where commands are looked for: this Node and this Python, then those of the system. */
function toolsOf(folder: string, node: string, python: string): string {
  const bin = join(folder, 'tools')
  mkdirSync(bin)
  symlinkSync(node, join(bin, 'node'))
  symlinkSync(python, join(bin, 'python3'))
  const system = ['/usr/local/bin', '/usr/bin', '/bin'].filter((one) => existsSync(one))
  return [bin, ...system].join(':')
}

/**
 * What the radiologist does in the browser, over HTTP as the window does it: with the address, the
 * password, the study and the text of the page.
 */
async function sign(port: number): Promise<void> {
  const page = documentOf('PARTNERS.md')
  const [, email = '', password = ''] = /sign in as `([^`]+)` with `([^`]+)`/.exec(page) ?? []
  const [, description = ''] = /open the study \*([^*]+)\*/.exec(page) ?? []
  const [, text = ''] = /```text written\n(.*?)\n```/s.exec(page) ?? []
  const http = `http://127.0.0.1:${port}`
  const { status } = await httpCall(`${http}/`)
  if (status !== 200) throw new Error(`The address to open in a browser has the status ${status}.`)
  const headers = await sessionHeaders(http, { email, password })
  const { json } = await httpCall(`${http}/v1/scribe/studies`, { headers })
  const { studies } = json as {
    readonly studies: readonly { readonly studyId: string; readonly studyDescription: string }[]
  }
  const study = studies.find(({ studyDescription }) => studyDescription === description)
  if (!study) throw new Error(`There is no study “${description}”.`)
  const window = readingWindow(callerOf(http, headers), study.studyId as StudyId)
  await window.begin()
  await window.save(text)
  const first = await window.sign()
  if (first.outcome === 'checks')
    await window.sign({ acknowledged: first.findings.map(({ check }) => check) })
}
