import { parseArgs } from 'node:util'
import {
  connectAsModality,
  type WorklistExam,
} from '#server/modules/devices/modality-simulation.ts'
import { AeTitle } from '#shared/dicom-values.ts'
import { hostAndPort, UsageError } from './arguments.ts'
import { MODALITY_SIMULATOR_OPTIONS } from './options.ts'

/** `simulator modality`: sends C-ECHO, then prints the worklist as a console displays it. */
export async function simulateModality(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: MODALITY_SIMULATOR_OPTIONS,
  })
  const date = values.date ?? today()
  const aeTitle = aeTitleOf(values['ae-title'] ?? '', '--ae-title')
  if (!values.to)
    throw new UsageError(
      'simulator modality needs --to HOST:PORT, where the gateway listens for devices.',
    )
  if (!/^(\d{8}|any)$/.test(date))
    throw new UsageError('--date takes a day as DICOM writes it, such as 20261122, or any.')
  const { host = '127.0.0.1', port } = hostAndPort(values.to, '--to')
  const calledAeTitle = aeTitleOf(values['called-ae-title'], '--called-ae-title')
  const keys = { modality: values.modality, startDate: date === 'any' ? '' : date }
  const { echoMs, worklistMs, exams } = await connectAsModality(
    { host, port, aeTitle: calledAeTitle },
    aeTitle,
    keys,
  )
  const lines = [
    `${calledAeTitle} answers the echo of ${aeTitle} (${Math.round(echoMs)} ms).`,
    `Worklist: ${exams.length === 1 ? 'one exam' : `${exams.length} exams`} (${Math.round(worklistMs)} ms).`,
    ...tableOf(exams),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

/** Today by the local clock, as consoles query. */
const today = (): string => new Intl.DateTimeFormat('sv-SE').format(Date.now()).replaceAll('-', '')

function aeTitleOf(text: string, flag: string): string {
  if (AeTitle.safeParse(text).success) return text
  throw new UsageError(`simulator modality needs ${flag}, 1 to 16 characters, such as CT1.`)
}

const COLUMNS: readonly ((exam: WorklistExam) => string)[] = [
  ({ startDate, startTime }) =>
    `${startDate.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')} ${startTime.replace(/^(\d\d)(\d\d).*$/, '$1:$2')}`,
  ({ modality }) => modality,
  // The first component group, as most consoles show it.
  ({ patientName }) =>
    (patientName.split('=')[0] ?? '').replace(/\^+$/, '').replace('^', ', ').replaceAll('^', ' '),
  ({ patientId }) => patientId,
  ({ accessionNumber }) => accessionNumber,
  ({ description }) => description,
]

function tableOf(exams: readonly WorklistExam[]): string[] {
  const rows = exams.map((exam) => COLUMNS.map((cell) => cell(exam)))
  const widths = COLUMNS.map((_, column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  )
}
