import { Title } from '@mantine/core'
import { translateMessage } from '../i18n/messages.ts'
import { t } from '../i18n/t.ts'
import { ToneIcon } from '../ui/tone.tsx'
import { type FaultGroup, faultGroups } from './fault-groups.ts'
import { foundImage, showInstance } from './show-instance.ts'
import css from './side.module.css'
import { useImages, useViewerContext } from './viewer-context.ts'

const LEVELS = ['danger', 'warning', 'note'] as const
const TONES = { danger: 'danger', warning: 'warning', note: 'info' } as const
/** Of one message, as many as are named. */
const MAX_NAMED_FAULTS = 12

/** Everything that could not be read, and why. */
export function FaultsList() {
  const { faults } = useImages()
  const groups = faultGroups(faults)
  if (groups.length === 0) return <p className={css.about}>{t('ui.viewer.faults.none')}</p>
  return LEVELS.map((level) => {
    const ofLevel = groups.filter((group) => group.level === level)
    if (ofLevel.length === 0) return null
    return (
      <section key={level} aria-label={t(`ui.viewer.faults.levels.${level}`)}>
        <Title order={3} mt="sm" mb={4}>
          {t(`ui.viewer.faults.levels.${level}`)}
        </Title>
        <ul className={css.list}>
          {ofLevel.map((group) => (
            <Group key={group.sentence} group={group} />
          ))}
        </ul>
      </section>
    )
  })
}

function Group({ group }: { group: FaultGroup }) {
  const viewerContext = useViewerContext()
  const { faults, level, sentence } = group
  return (
    <li className={css.item}>
      <ToneIcon tone={TONES[level]} size={18} />
      <div className={css.body}>
        <p>{sentence}</p>
        <div className={css.what}>
          {faults.slice(0, MAX_NAMED_FAULTS).map((fault) => {
            const { sopInstanceUid } = fault
            const what = translateMessage(fault.what)
            const key = `${what} ${sopInstanceUid}`
            if (
              sopInstanceUid === null ||
              !foundImage(viewerContext.list.state(), sopInstanceUid)
            ) {
              return (
                <span key={key} className={css.quiet}>
                  {what}
                </span>
              )
            }
            return (
              <button
                key={key}
                type="button"
                className={css.link}
                onClick={() => showInstance(viewerContext, sopInstanceUid)}
              >
                {what}
              </button>
            )
          })}
          {faults.length > MAX_NAMED_FAULTS && (
            <span className={css.quiet}>
              {t('ui.viewer.faults.more', { number: faults.length - MAX_NAMED_FAULTS })}
            </span>
          )}
        </div>
      </div>
    </li>
  )
}
