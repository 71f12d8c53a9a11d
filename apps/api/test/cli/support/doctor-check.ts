/** Check of `doctor --json`. */
export type DoctorCheck = Readonly<Record<'part' | 'level' | 'seen' | 'mend', string>>;
