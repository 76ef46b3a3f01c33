import { Button } from '@mantine/core'
import { useState } from 'react'
import { t } from '../i18n/t.ts'
import { ToneIcon } from '../ui/tone.tsx'
import css from './danger-banner.module.css'
import { dangerTexts } from './fault-groups.ts'
import { useImages, useViewerContext } from './viewer-context.ts'

/**
 * What could lead to a wrong reading stands over everything. Seen, it becomes one line; it never
 * goes away.
 */
export function DangerBanner() {
  const { viewerStore } = useViewerContext()
  const { faults } = useImages()
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const all = dangerTexts(faults)
  if (all.length === 0) return null
  const isNew = all.some((sentence) => !seen.has(sentence))
  return (
    <div className={css.banner} data-new={isNew || undefined} role="alert">
      <ToneIcon tone="danger" size={isNew ? 24 : 16} />
      <div className={css.text}>
        {isNew && <strong>{t('ui.viewer.faults.bannerTitle')}</strong>}
        {all.map((sentence) => (
          <span key={sentence}>{sentence}</span>
        ))}
      </div>
      <Button
        size="compact-sm"
        variant="white"
        color="red"
        onClick={() => viewerStore.set({ drawer: 'faults' })}
      >
        {t('ui.viewer.faults.details')}
      </Button>
      {isNew && (
        <Button
          size="compact-sm"
          variant="outline"
          color="white"
          onClick={() => setSeen(new Set(all))}
        >
          {t('ui.viewer.faults.seen')}
        </Button>
      )}
    </div>
  )
}
