import { dayText } from '../format/dates.ts'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { ObjectList } from './documents/object-list.tsx'
import type { StudyState } from './engine/stack.ts'
import { priorText } from './prior-age.ts'
import css from './rail.module.css'
import { Thumbnail } from './thumbnail.tsx'
import { useImages, useViewerState } from './viewer-context.ts'

/** The series of this study and of the earlier ones beside it. */
export function Rail() {
  const { studies, media, progress } = useImages()
  const currentDate = studies.find(({ study }) => !study.isPrior)?.study.studyDate ?? ''
  const hasSeries = studies.some(({ series }) => series.length > 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll region is reached by the keyboard (WCAG 2.1.1)
    <nav className={css.rail} aria-label={t('ui.viewer.rail.label')} tabIndex={0} data-scrolls>
      {studies.map((study) => (
        <Study key={study.study.studyInstanceUid} study={study} currentDate={currentDate} />
      ))}
      {!hasSeries && media.length === 0 && progress.state === 'done' && (
        <p className={css.none}>{t('ui.viewer.rail.none')}</p>
      )}
    </nav>
  )
}

function Study({
  study: { study, series, nonImageInstances },
  currentDate,
}: {
  study: StudyState
  currentDate: string
}) {
  const { media } = useImages()
  const listed = new Set(media.map(({ object }) => object?.sopInstanceUid))
  const others = nonImageInstances.filter(({ sopInstanceUid }) => !listed.has(sopInstanceUid))
  const board = useViewerState((state) => state.board)
  const planesOf = useViewerState((state) => state.planesOf)
  const shown = new Set(planesOf ? [planesOf] : board.panes.map(({ seriesKey }) => seriesKey))
  const active = planesOf ?? board.panes[board.active]?.seriesKey
  const day = dayText(study.studyDate)
  const heading = study.isPrior
    ? priorText(study.studyDate, currentDate)
    : t('ui.viewer.rail.current')
  return (
    <section aria-label={heading} data-study={study.studyInstanceUid}>
      <header className={css.study} data-prior={study.isPrior || undefined}>
        <h2>{heading}</h2>
        <p>{[study.isPrior ? '' : day, study.studyDescription].filter(Boolean).join(' · ')}</p>
      </header>
      <ul className={css.list}>
        {series.map((one) => (
          <li key={one.key} data-series={one.series.seriesInstanceUid}>
            <Thumbnail series={one} isShown={shown.has(one.key)} isActive={active === one.key} />
          </li>
        ))}
      </ul>
      <ObjectList studyInstanceUid={study.studyInstanceUid} />
      {others.length > 0 && (
        <p
          className={css.none}
          title={[
            ...new Set(others.map(({ notImage }) => notImage && translateMessage(notImage))),
          ].join(' ')}
        >
          {t('ui.viewer.rail.notImages', { number: others.length })}
        </p>
      )}
    </section>
  )
}
