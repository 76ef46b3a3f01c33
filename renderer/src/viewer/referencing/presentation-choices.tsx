import { useId } from 'react'
import type { Message } from '#shared/messages/message.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import type { Offer } from './offers.ts'
import css from './pane-referencing.module.css'
import { labelOf, originOf } from './referencing-text.ts'

/** `As sent`, and each presentation state of the images, by label and creator. */
export function PresentationChoices(props: {
  offers: readonly Offer[]
  chosen: string | null
  /** Why the chosen one cannot be applied to the image. */
  problem: Message | null
  onChoose: (sopInstanceUid: string | null) => void
}) {
  const { offers, chosen, problem, onChoose } = props
  const name = useId()
  return (
    <fieldset className={css.group}>
      <legend>{t('ui.viewer.referencing.presentations')}</legend>
      <label className={css.choice}>
        <input type="radio" name={name} checked={chosen === null} onChange={() => onChoose(null)} />
        <span>
          {t('ui.viewer.referencing.asSent')}
          <small>{t('ui.viewer.referencing.asSentNote')}</small>
        </span>
      </label>
      {offers.map(({ sopInstanceUid, loaded, whyNot }) => (
        <label key={sopInstanceUid} className={css.choice} data-off={whyNot !== null || undefined}>
          <input
            type="radio"
            name={name}
            checked={chosen === sopInstanceUid}
            disabled={whyNot !== null}
            onChange={() => onChoose(sopInstanceUid)}
          />
          <span>
            {labelOf(loaded)}
            <small>{whyNot ? translateMessage(whyNot) : originOf(loaded)}</small>
            {chosen === sopInstanceUid &&
              [...(problem ? [problem] : []), ...(loaded.object?.notApplied ?? [])].map((one) => (
                <small key={one.code} data-tone="warning">
                  {translateMessage(one)}
                </small>
              ))}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
