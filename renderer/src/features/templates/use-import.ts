import { useState } from 'react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import type { ProblemError } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { showDone } from '../../ui/undo.tsx'
import { CHOICES, type Choice, type PlannedImport, planOf, sendingOf } from './import-plan.ts'
import type { FileEntry } from './template-file.ts'

export type Outcome = 'done' | { readonly fault: string }
export type TemplateImport = ReturnType<typeof useImport>

/**
 * What would be done with the entries of a file, as somebody chooses; then it is done, entry by
 * entry.
 */
export function useImport(entries: readonly FileEntry[], templates: readonly ReportTemplate[]) {
  const me = useSession().data?.user?.userId
  const [whose, setWhose] = useState<'mine' | 'everybody'>('mine')
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map())
  // The plan stands while it is carried out, though the list it was made of changes.
  const [running, setRunning] = useState<readonly PlannedImport[] | null>(null)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map())
  const [isOver, setIsOver] = useState(false)
  const add = useSend(dashboardReports.addTemplate, [dashboardReports.templates])
  const change = useSend(dashboardReports.changeTemplate, [dashboardReports.templates])

  const ownTemplates = templates.filter(({ owner }) =>
    whose === 'mine' ? owner?.userId === me : owner === null,
  )
  const plan = running ?? planOf(entries, ownTemplates)
  const choiceOf = ({ at, standing }: PlannedImport): Choice => {
    const wanted = chosen.get(at)
    return wanted !== undefined && CHOICES[standing].includes(wanted)
      ? wanted
      : (CHOICES[standing][0] ?? 'leave')
  }
  const count = (...choices: readonly Choice[]) =>
    plan.filter((one) => choices.includes(choiceOf(one))).length
  const conflicts = plan.filter(
    ({ standing }) => CHOICES[standing][0] === 'leave' && CHOICES[standing].length > 1,
  )

  async function send(one: PlannedImport): Promise<boolean> {
    const sending = sendingOf(one, choiceOf(one))
    if (!sending) return false
    try {
      if ('add' in sending) await add.mutateAsync({ body: { ...sending.add, for: whose } })
      else
        await change.mutateAsync({
          params: { templateId: sending.change.templateId },
          body: sending.to,
        })
      setOutcomes((before) => new Map(before).set(one.at, 'done'))
      return true
    } catch (error) {
      setOutcomes((before) =>
        new Map(before).set(one.at, { fault: (error as ProblemError).message }),
      )
      return false
    }
  }
  return {
    ...{ plan, choiceOf, whose, outcomes, isOver, clashing: conflicts },
    isRunning: running !== null,
    added: count('add', 'plain'),
    replaced: count('replace'),
    setWhose(next: 'mine' | 'everybody') {
      setWhose(next)
      setChosen(new Map())
    },
    choose: ({ at }: PlannedImport, choice: Choice) =>
      setChosen((before) => new Map(before).set(at, choice)),
    takeAll: () =>
      setChosen(
        new Map(conflicts.map(({ at, standing }) => [at, CHOICES[standing][1] ?? 'leave'])),
      ),
    async run() {
      setRunning(plan)
      let importedCount = 0
      for (const one of plan) if (await send(one)) importedCount += 1
      setIsOver(true)
      showDone(t('ui.templates.importing.done', { count: importedCount }))
    },
  }
}
