import { setImmediate } from 'node:timers/promises'
import { formatTag, keywordOf } from '#server/dicom/data-set/data-set.ts'
import type { EncodedIdentifiers } from '#server/dicom/dimse/service.ts'
import type { Device, LintFinding, LintReport } from '#shared/contract/devices.ts'
import { message } from '#shared/messages/message.ts'
import { PATIENT_NAME, STUDY_INSTANCE_UID } from './attributes.ts'
import { CONSOLE_PROFILES, type ListFacts, type SentRow, sentRows } from './console-rules.ts'

const STEP_ID = 0x00400009
/** Maximum number of findings listed; those of refused rows come first. */
const MAX_FINDINGS = 1000
/** Rows processed before yielding to the event loop. */
const ROWS_PER_TURN = 100

/**
 * Checks encoded rows byte for byte against the rules of the device's profile. `refused` counts the
 * rows that the modality would reject; for one that stops at the first bad row, that row and all
 * after it.
 * @param stepsBefore what the device was last sent
 */
export async function lintRows(
  batches: readonly EncodedIdentifiers[],
  transferSyntax: string,
  { profile, countsBytes }: Pick<Device, 'profile' | 'countsBytes'>,
  stepsBefore: ListFacts['stepsBefore'],
): Promise<Omit<LintReport, 'inspectionId'>> {
  const rows = await readAllRows(batches, transferSyntax)
  const { source, rules, stopsAtRefusedRow } = CONSOLE_PROFILES[profile]
  const facts: ListFacts = {
    countsBytes,
    studiesOf: groupValues(rows, STEP_ID, STUDY_INSTANCE_UID),
    stepsOf: groupValues(rows, STUDY_INSTANCE_UID, STEP_ID),
    stepsBefore,
  }
  const findings: LintFinding[] = []
  let refused = 0
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await setImmediate()
    const faults = rules.flatMap(({ source, check }) =>
      [...check(row, facts)].map((fault) => ({ ...fault, source })),
    )
    const isRefused = faults.some(({ severity }) => severity === 'refused')
    if (isRefused || (stopsAtRefusedRow && refused > 0)) refused++
    for (const { severity, tag, text, source } of faults) {
      const keyword = keywordOf(tag)
      const [patientName, scheduledProcedureStepId] = [
        textOf(row, PATIENT_NAME),
        textOf(row, STEP_ID),
      ]
      findings.push({
        severity,
        patientName,
        scheduledProcedureStepId,
        tag: formatTag(tag),
        keyword,
        text: message('worklist.rule-broken', { fault: text, source }),
      })
    }
  }
  findings.sort((a, b) => Number(a.severity === 'altered') - Number(b.severity === 'altered'))
  return { profile, source, rows: rows.length, refused, findings: findings.slice(0, MAX_FINDINGS) }
}

async function readAllRows(
  batches: readonly EncodedIdentifiers[],
  transferSyntax: string,
): Promise<SentRow[]> {
  const rows: SentRow[] = []
  for (const batch of batches) {
    for (const row of sentRows(batch, transferSyntax)) {
      if (rows.push(row) % ROWS_PER_TURN === 0) await setImmediate()
    }
  }
  return rows
}

const textOf = ({ values }: SentRow, tag: number): string => values.get(tag)?.text ?? ''

function groupValues(
  rows: readonly SentRow[],
  by: number,
  value: number,
): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>()
  for (const row of rows) {
    const group = groups.get(textOf(row, by)) ?? new Set()
    groups.set(textOf(row, by), group.add(textOf(row, value)))
  }
  return groups
}
