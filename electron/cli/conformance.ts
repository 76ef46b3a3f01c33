import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import {
  type CheckResult,
  reportText,
  runConformance,
} from '#server/modules/sandbox/conformance/conformance.ts'
import type { ConformanceOptions } from '#server/modules/sandbox/conformance/stage.ts'
import { json } from '#server/platform/text.ts'
import { EVENT_TYPES, type EventType } from '#shared/contract/webhooks.ts'
import { UsageError } from './arguments.ts'
import { CONFORMANCE_OPTIONS } from './options.ts'
import { secretFrom } from './secret-option.ts'

const EventData = z.partialRecord(z.enum(EVENT_TYPES), z.record(z.string(), z.unknown()))

/**
 * `conformance`: plays events to a partner's endpoint and prints a scored report. The exit code is 0
 * if the partner earned every point, or as many of a hundred as `--at-least` says.
 */
export async function conformance(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: CONFORMANCE_OPTIONS })
  const { url = '', events, data } = values
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('conformance needs --url URL, the address of the endpoint.')
  const options: ConformanceOptions = {
    ...{ url, secret: await secretFrom('conformance', values) },
    ...(events !== undefined && { events: eventsOf(events) }),
    ...(data !== undefined && { data: dataOf(data) }),
  }
  const isJson = values.json === true
  const report = await runConformance(options, (result) => isJson || showProgress(result))
  const percentage = report.points === 0 ? 0 : (report.earned / report.points) * 100
  process.stdout.write(`${isJson ? JSON.stringify(report, null, 2) : reportText(report)}\n`)
  return percentage >= Number(values['at-least']) ? 0 : 1
}

const showProgress = ({ title, earned, points }: CheckResult) =>
  process.stderr.write(`${earned === points ? 'ok  ' : 'LOST'}  ${title}\n`)

function eventsOf(text: string): readonly EventType[] {
  return text.split(',').map((given) => {
    const type = EVENT_TYPES.find((known) => known === given.trim())
    if (type) return type
    throw new UsageError(`--events: “${given}” is none of ${EVENT_TYPES.join(', ')}.`)
  })
}

function dataOf(file: string): NonNullable<ConformanceOptions['data']> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--data: ${file} could not be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
  const parsed = EventData.safeParse(json(text))
  if (parsed.success) return parsed.data
  throw new UsageError(
    `--data: ${file} must be a JSON object of event names and fields of their data.`,
  )
}
