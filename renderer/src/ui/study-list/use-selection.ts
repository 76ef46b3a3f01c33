import { useMemo, useState } from 'react'
import type { WindowStudy } from '#shared/contract/dashboard-studies.ts'

const EMPTY_SELECTION: ReadonlySet<string> = new Set()

/** Rows that are selected. Those that left the list are no longer. */
export function useSelection(rows: readonly WindowStudy[]) {
  const [chosen, setChosen] = useState(EMPTY_SELECTION)
  const [anchor, setAnchor] = useState<string | null>(null)
  return useMemo(() => {
    const studies = chosen.size === 0 ? [] : rows.filter(({ studyId }) => chosen.has(studyId))
    return {
      selected: new Set<string | number>(studies.map(({ studyId }) => studyId)),
      studies,
      onSelect({ studyId }: WindowStudy, isRange: boolean) {
        const from = rows.findIndex((row) => row.studyId === anchor)
        const to = rows.findIndex((row) => row.studyId === studyId)
        const range =
          isRange && from >= 0
            ? rows.slice(Math.min(from, to), Math.max(from, to) + 1).map((row) => row.studyId)
            : [studyId]
        setAnchor(studyId)
        setChosen((now) => {
          const next = new Set<string>(now)
          if (isRange || !now.has(studyId)) for (const one of range) next.add(one)
          else next.delete(studyId)
          return next
        })
      },
      all: () => setChosen(new Set(rows.map(({ studyId }) => studyId))),
      clear: () => setChosen(EMPTY_SELECTION),
    }
  }, [rows, chosen, anchor])
}
