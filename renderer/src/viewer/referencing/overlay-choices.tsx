import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { useViewerContext } from '../viewer-context.ts'
import type { Offer } from './offers.ts'
import css from './pane-referencing.module.css'
import { labelOf, originOf } from './referencing-text.ts'
import { colourAt, cssColour } from './scene.ts'

/** Segmentations and structure sets: which are drawn, how, and what of them. */
export function OverlayChoices(props: {
  offers: readonly Offer[]
  /** Numbers of what each has on the image. */
  onImage: ReadonlyMap<string, ReadonlySet<number>> | undefined
}) {
  const { referencing } = useViewerContext()
  return (
    <fieldset className={css.group}>
      <legend>{t('ui.viewer.referencing.overlays')}</legend>
      {props.offers.map((offer) => {
        const { sopInstanceUid, loaded, whyNot } = offer
        const { isShown } = referencing.shownOf(sopInstanceUid)
        return (
          <div key={sopInstanceUid}>
            <label className={css.choice} data-off={whyNot !== null || undefined}>
              <input
                type="checkbox"
                checked={isShown && whyNot === null}
                disabled={whyNot !== null}
                onChange={() => referencing.show(sopInstanceUid, { isShown: !isShown })}
              />
              <span>
                {labelOf(loaded)}
                <small>{whyNot ? translateMessage(whyNot) : originOf(loaded)}</small>
                {loaded.object?.notApplied.map((one) => (
                  <small key={one.code} data-tone="warning">
                    {translateMessage(one)}
                  </small>
                ))}
              </span>
            </label>
            {isShown && whyNot === null && (
              <Parts offer={offer} onImage={props.onImage?.get(sopInstanceUid)} />
            )}
          </div>
        )
      })}
    </fieldset>
  )
}

/** The segments or regions of one object. */
function Parts({ offer, onImage }: { offer: Offer; onImage: ReadonlySet<number> | undefined }) {
  const { referencing } = useViewerContext()
  const { sopInstanceUid, loaded } = offer
  const { object } = loaded
  const { opacity, hidden } = referencing.shownOf(sopInstanceUid)
  if (!object || object.kind === 'presentation-state') return null
  const parts = object.kind === 'segmentation' ? object.segments : object.rois
  const toggle = (number: number) => {
    const next = new Set(hidden)
    if (!next.delete(number)) next.add(number)
    referencing.show(sopInstanceUid, { hidden: next })
  }
  return (
    <div className={css.parts}>
      {object.kind === 'segmentation' && (
        <label className={css.opacity}>
          {t('ui.viewer.referencing.opacity')}
          <input
            type="range"
            min={10}
            max={100}
            step={5}
            value={Math.round(opacity * 100)}
            onChange={(event) =>
              referencing.show(sopInstanceUid, { opacity: Number(event.target.value) / 100 })
            }
          />
        </label>
      )}
      {parts.map((part, index) => (
        <label key={part.number} className={css.part}>
          <input
            type="checkbox"
            checked={!hidden.has(part.number)}
            onChange={() => toggle(part.number)}
          />
          <i style={{ background: cssColour(colourAt(part.colour, index)) }} aria-hidden="true" />
          <span>
            {('label' in part ? part.label || part.type : part.name) ||
              t('ui.viewer.referencing.unnamed', { number: part.number })}
            {!onImage?.has(part.number) && <small>{t('ui.viewer.referencing.notOnImage')}</small>}
          </span>
        </label>
      ))}
    </div>
  )
}
