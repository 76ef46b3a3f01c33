import { useState } from 'react'
import type { CheckFinding, ReportCheck } from '#shared/contract/reports.ts'
import { reportFindings } from '#shared/report-checks.ts'

/** What stands against signing a report; warnings do not any more once they were looked at. */
export function useSignChecks(report: Parameters<typeof reportFindings>[0]) {
  const [looked, setLooked] = useState<readonly ReportCheck[]>([])
  const [fromGateway, setFromGateway] = useState<readonly CheckFinding[]>([])
  const localFindings = reportFindings(report)
  // The gateway looks too, and knows of changes that have not come here yet.
  const findings = [
    ...localFindings,
    ...fromGateway.filter(({ check }) => !localFindings.some((one) => one.check === check)),
  ]
  const errors = findings.filter(({ level }) => level === 'error')
  // Said where it is to be written.
  const missingFinding = errors.find(({ check }) => check === 'critical-without-finding')
  const warnings = findings.filter(({ level }) => level === 'warning')
  return {
    stops: errors.filter((error) => error !== missingFinding),
    unfound: missingFinding,
    warnings,
    looked,
    look: (check: ReportCheck, isLooked: boolean) =>
      setLooked((before) =>
        isLooked ? [...before, check] : before.filter((one) => one !== check),
      ),
    areMet: errors.length === 0 && warnings.every(({ check }) => looked.includes(check)),
    setFromGateway,
  }
}
