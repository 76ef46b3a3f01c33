// English words and patterns for the checks before signing. They are matched with text in lower
// case.

/**
 * Body parts that have a left and a right side. Lobes, which a report mentions for both sides, are
 * distinguished by further words.
 */
export const SIDED_PARTS = [
  ...[
    'knee',
    'hip',
    'shoulder',
    'elbow',
    'wrist',
    'hand',
    'foot',
    'ankle',
    'leg',
    'arm',
    'thigh',
    'calf',
    'forearm',
    'thumb',
    'heel',
  ],
  ...[
    'femur',
    'tibia',
    'fibula',
    'humerus',
    'radius',
    'ulna',
    'clavicle',
    'scapula',
    'patella',
    'calcaneus',
    'scaphoid',
    'acetabulum',
  ],
  ...[
    'breast',
    'axilla',
    'kidney',
    'ureter',
    'adrenal',
    'lung',
    'hemidiaphragm',
    'eye',
    'orbit',
    'ear',
    'testis',
    'testicle',
    'ovary',
  ],
  ...['upper lobe', 'lower lobe', 'middle lobe', 'upper extremity', 'lower extremity'],
] as const

/**
 * Words for organs that only one sex has. Sentences about relatives and about what does not apply
 * are removed first.
 */
export const SEX_WORDS = {
  male: /\b(?:prostat(?:e|ic|ectomy|omegaly)(?!-specific)|seminal vesicles?|test(?:is|es|icle|icles|icular)|scrot(?:um|al)|epididym(?:is|al)|penile|penis)\b/,
  female:
    /\b(?:uter(?:us|ine)|ovar(?:y|ies|ian)|endometri(?:um|al|osis)|myometri(?:um|al)|fallopian|vagina(?:l)?|hysterectomy|oophorectomy|intrauterine|placenta(?:l)?|gravid)\b/,
} as const

/**
 * Findings that require communication by their name (ACR Actionable Findings, categories 1 and 2);
 * `name` is used in messages.
 */
export const CRITICAL_WORDS: readonly { readonly name: string; readonly words: RegExp }[] = [
  { name: 'tension pneumothorax', words: /\btension (?:hydro)?pneumothora(?:x|ces)\b/ },
  {
    name: 'aortic dissection',
    words:
      /\b(?:aortic dissection|dissection of the (?:[a-z]+ ){0,2}aorta|(?:type|stanford) [ab] dissection)\b/,
  },
  {
    name: 'aortic rupture',
    words: /\b(?:aortic (?:rupture|transection)|ruptured (?:[a-z]+ ){0,3}(?:aneurysm|aorta))\b/,
  },
  { name: 'pulmonary embolism', words: /\bpulmonary (?:thrombo-?)?embol(?:ism|isms|us|i)\b/ },
  {
    name: 'intracranial haemorrhage',
    words:
      /\b(?:(?:intracranial|subarachnoid|intraventricular|intraparenchymal|intracerebral|cerebellar|pontine) ha?emorrhages?|acute (?:[a-z]+ ){0,2}(?:sub|epi|extra)dural ha?ematomas?|(?:epi|extra)dural ha?ematomas?)\b/,
  },
  {
    name: 'active bleeding',
    words:
      /\b(?:acute ha?emorrhage|active (?:[a-z]+ ){0,2}(?:extravasation|bleeding|ha?emorrhage))\b/,
  },
  {
    name: 'acute infarct',
    words:
      /\b(?:acute (?:[a-z]+ ){0,4}(?:infarct|infarcts|infarction|stroke)|large vessel occlusion)\b/,
  },
  {
    name: 'brain herniation',
    words: /\b(?:uncal|tonsillar|transtentorial|subfalcine|cerebral|brain) herniation\b/,
  },
  {
    name: 'spinal cord compression',
    words: /\b(?:(?:spinal )?cord compression|cauda equina (?:syndrome|compression))\b/,
  },
  {
    name: 'free intraperitoneal air',
    words:
      /\b(?:pneumoperitoneum|free (?:intra-?peritoneal|intra-?abdominal|subdiaphragmatic) (?:air|gas))\b/,
  },
  {
    name: 'bowel ischaemia',
    words:
      /\b(?:(?:bowel|mesenteric|intestinal) (?:isch(?:a)?emia|infarction)|pneumatosis intestinalis|(?:midgut|caecal|cecal|sigmoid) volvulus)\b/,
  },
  { name: 'ectopic pregnancy', words: /\bectopic pregnanc(?:y|ies)\b/ },
  { name: 'torsion', words: /\b(?:testicular|ovarian|adnexal) torsion\b/ },
  { name: 'cardiac tamponade', words: /\b(?:cardiac|pericardial) tamponade\b/ },
  { name: 'necrotising fasciitis', words: /\bnecroti[sz]ing fasciitis\b/ },
]

/** Words that negate a finding when they occur anywhere before it in a clause. */
export const NEGATION_BEFORE =
  /\b(?:no|not|non|nor|neither|never|without|denies|lacks?|lacking|absent|absence|negative|free of|excludes?|excluded|excluding|rules? out|ruled out|ruling out|r\/o|evaluate|evaluation|assess|assessment|evaluated|query|if|unlikely|resolved|resolution|risk|screening|versus|vs)\b/
/** Words that mark a finding as old when they precede it with at most two words in between. */
export const PAST_FINDING_BEFORE =
  /\b(?:history|h\/o|prior|previous|previously|(?<!years?[ -])old|remote|chronic|known|status post|s\/p|treated|stable|unchanged)(?: [a-z]+){0,2} $/
/** Words that negate a finding when they follow it before the next comma. */
export const NEGATION_AFTER =
  /^ (?:protocol|study|exam|examination|technique|cta?)\b|\b(?:(?:is|are|was|were|has|have|been|be) (?:[a-z]+ )?(?:excluded|ruled out|absent|resolved|unlikely|denied|negative)|(?:not|no longer) (?:[a-z]+ )?(?:seen|identified|demonstrated|present|visuali[sz]ed|evident|detected|appreciated|shown|found)|excluded|unlikely|protocol|resolved|cannot be (?:assessed|evaluated))\b|: *(?:none|nil|no|not|negative|absent)\b|\?/

/** Sentences that are about another person, or say that something does not apply. */
export const OTHER_SUBJECT =
  /\b(?:family history|mother|father|sister|brother|husband|wife|spouse|partner|daughter|son|aunt|uncle|relative|donor|not applicable|n\/a)\b/
