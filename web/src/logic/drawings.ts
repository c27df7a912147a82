// Drawings of our own, by the names that games give them, around the origin in a cell one unit wide.

/** What stands on a piece instead of its letter. */
const PIECES: Record<string, string> = {
  infantry: "M-.03 -.27a.09 .09 0 1 1 0 .18a.09 .09 0 1 1 0 -.18ZM-.21 .25L-.17 .04Q-.16 -.06 -.03 -.06Q.08 -.06 .1 .04L.14 .25ZM.17 -.22l.05 .01l-.03 .47h-.06Z",
  panzer:
    "M-.11 -.1H.09V-.055H.32V.01H.09V.05H-.11ZM-.27 .075H.25Q.31 .145 .25 .215H-.27Q-.33 .145 -.27 .075ZM-.2 .145a.035 .035 0 1 0 .07 0a.035 .035 0 1 0 -.07 0ZM-.04 .145a.035 .035 0 1 0 .07 0a.035 .035 0 1 0 -.07 0ZM.12 .145a.035 .035 0 1 0 .07 0a.035 .035 0 1 0 -.07 0Z",
  cannon:
    "M-.21 .06L.21 -.27L.27 -.19L-.13 .14ZM-.07 .05a.11 .11 0 1 1 0 .22a.11 .11 0 1 1 0 -.22ZM-.07 .12a.04 .04 0 1 0 0 .08a.04 .04 0 1 0 0 -.08ZM.06 .15L.28 .23V.28L.04 .22Z",
  antiair:
    "M-.13 .03L.02 -.29L.09 -.26L-.03 .03ZM.03 .03L.16 -.24L.23 -.21L.13 .03ZM-.27 .075H.25Q.31 .145 .25 .215H-.27Q-.33 .145 -.27 .075ZM-.16 .145a.035 .035 0 1 0 .07 0a.035 .035 0 1 0 -.07 0ZM.06 .145a.035 .035 0 1 0 .07 0a.035 .035 0 1 0 -.07 0Z",
  fighter: "M0 -.31L.05 -.1L.28 .12V.17L.06 .11L.05 .19L.13 .26V.29H-.13V.26L-.05 .19L-.06 .11L-.28 .17V.12L-.05 -.1Z",
  attacker:
    "M0 -.28Q.05 -.24 .05 -.12L.31 -.06V.03L.05 .05L.035 .17L.13 .22V.27H-.13V.22L-.035 .17L-.05 .05L-.31 .03V-.06L-.05 -.12Q-.05 -.24 0 -.28ZM-.2 .06h.06v.1h-.06ZM.14 .06h.06v.1h-.06Z",
  robot:
    "M-.02 -.17V-.23a.04 .04 0 1 1 .04 0V-.17H.15Q.2 -.17 .2 -.12V.14Q.2 .19 .15 .19H-.15Q-.2 .19 -.2 .14V-.12Q-.2 -.17 -.15 -.17ZM-.13 -.05a.045 .045 0 1 0 .09 0a.045 .045 0 1 0 -.09 0ZM.04 -.05a.045 .045 0 1 0 .09 0a.045 .045 0 1 0 -.09 0ZM-.1 .07H.1V.11H-.1Z",
  general:
    "M-.02 -.2V-.3Q.16 -.31 .1 -.2H.04Q.17 -.16 .17 -.02H.22V.035H-.22V-.02H-.17Q-.17 -.17 -.02 -.2ZM-.14 .065H.14Q.13 .12 .09 .15Q.24 .17 .26 .3H-.26Q-.24 .17 -.09 .15Q-.13 .12 -.14 .065Z",
};

/** What stands in the small disc at the corner of a piece, half as large. */
const BADGES: Record<string, string> = {
  fire: "M0 .28Q-.24 .24 -.22 .02Q-.2 -.1 -.1 -.18Q-.1 -.08 -.03 -.06Q-.08 -.2 .05 -.32Q.04 -.18 .15 -.1Q.26 0 .22 .12Q.19 .25 0 .28Z",
  charge: "M-.3 -.06H.02V-.2L.3 .0L.02 .2V.06H-.3Z",
  confuse: "M-.15 -.12Q-.14 -.3 .01 -.3Q.18 -.3 .18 -.13Q.18 -.02 .05 .04V.12H-.05V-.03Q.08 -.06 .08 -.13Q.08 -.21 .01 -.21Q-.05 -.21 -.06 -.12ZM-.06 .18H.06V.29H-.06Z",
  valour: "M0 -.3L.08 -.09L.3 -.09L.13 .05L.19 .28L0 .14L-.19 .28L-.13 .05L-.3 -.09L-.08 -.09Z",
  sprint: "M-.27 -.24H-.13L.03 0L-.13 .24H-.27L-.11 0ZM0 -.24H.14L.3 0L.14 .24H0L.16 0Z",
};

/** A pattern on a cell of a kind of ground: lines, without the colour below. */
const GROUNDS: Record<string, string> = {
  wood: "M-.24 .02l.14 -.28l.14 .28ZM-.1 .02v.12M.02 .22l.15 -.3l.15 .3ZM.17 .22v.12M-.34 .3l.1 -.2l.1 .2Z",
  mountain: "M-.4 .3L-.12 -.28L.1 .12L.2 -.06L.4 .3ZM-.2 -.11L-.12 -.04L-.03 -.11",
  sea: "M-.38 -.16q.095 -.1 .19 0t.19 0t.19 0t.19 0M-.38 .04q.095 -.1 .19 0t.19 0t.19 0t.19 0M-.38 .24q.095 -.1 .19 0t.19 0t.19 0t.19 0",
  water: "M-.38 -.06q.095 -.1 .19 0t.19 0t.19 0t.19 0M-.38 .14q.095 -.1 .19 0t.19 0t.19 0t.19 0",
  road: "M-.42 -.26H.42M-.42 .26H.42M-.34 0H-.16M-.08 0H.08M.16 0H.34",
  fortress: "M-.3 .32V-.28H-.18V-.16H-.06V-.28H.06V-.16H.18V-.28H.3V.32ZM-.09 .32V.12Q0 .02 .09 .12V.32",
  forbidden: "M-.4 -.4L.4 .4M.4 -.4L-.4 .4M-.4 0L0 .4M0 -.4L.4 0M-.4 0L0 -.4M0 .4L.4 0",
  rough: "M-.22 -.08l.06 -.09l.06 .09M.06 -.12l.06 -.09l.06 .09M-.1 .18l.06 -.09l.06 .09",
  wall: "M-.3 -.14H.3M-.36 .06H.36M-.3 .24H.3M-.1 -.34V-.14M.14 -.34V-.14M0 -.14V.06M-.14 .06V.24M.14 .06V.24",
  jar: "M-.14 -.24H.14M-.09 -.24V-.12Q-.24 -.02 -.22 .14Q-.2 .28 0 .28Q.2 .28 .22 .14Q.24 -.02 .09 -.12V-.24M-.21 .1H.21",
};

const found = (drawings: Record<string, string>, name: string | null | undefined): string | null => (name ? (drawings[name] ?? null) : null);

export const pieceDrawing = (name: string | null | undefined): string | null => found(PIECES, name);
export const badgeDrawing = (name: string | null | undefined): string | null => found(BADGES, name);
export const groundDrawing = (name: string | null | undefined): string | null => found(GROUNDS, name);
