/**
 * SQL that holds for a row `p` of `problems` that may be shown to trainers: on the training side, and withdrawn by no
 * stage. The panel of a target is left out by its own condition.
 */
export const READY = `
  NOT coalesce((SELECT s.held_out FROM splits s WHERE s.problem_id = p.problem_id), p.held_out)
  AND NOT EXISTS (SELECT FROM withdrawals w
                  WHERE w.problem_id = p.problem_id AND NOT w.taken_back AND w.version >= p.version)`;

/** SQL that holds for a row `p` that is no member of the panel of target `$1`. */
export const OUTSIDE_PANEL = `
  NOT EXISTS (SELECT FROM panel_members m WHERE m.target = $1 AND m.problem_id = p.problem_id)`;
