/*
 * The rules for money operations as a model for the model checker spin, written by hand from the
 * design and not from the code. README.md says what it contains and how to run it.
 *
 * All worlds have the same statements. Only constants differ, so that the statements that several
 * runs did not reach can be compared by their state numbers.
 */

/* ---- The world ----------------------------------------------------------------------------- */

#define CAPTURE 1
#define REFUND  2
#define VOID    3

#ifndef KIND
#define KIND CAPTURE      /* kind of all operations */
#endif
#ifndef TOTAL
#define TOTAL 2           /* amount of the transaction */
#endif
#ifndef AMOUNT
#define AMOUNT 2          /* amount of each operation */
#endif
#ifndef CAPTURED
#define CAPTURED 0        /* captured before the first request */
#endif
#ifndef OTHER
#define OTHER 1           /* amount of other movements by an outsider; not AMOUNT */
#endif
#ifndef OPERATIONS
#define OPERATIONS 1      /* 1 or 2 */
#endif
#ifndef REQUESTS
#define REQUESTS 4        /* requests of all callers together */
#endif
#ifndef OUTSIDE
#define OUTSIDE 1         /* movements by an outsider */
#endif
#ifndef IDENTICAL
#define IDENTICAL 0       /* 1: the outsider also makes movements like those of the operations */
#endif
#ifndef LIES
#define LIES 0            /* 1: a 4xx though applied, an empty 2xx though not applied */
#endif
#ifndef REPEATS
#define REPEATS 0         /* 1: an intermediary repeats one POST */
#endif
#ifndef LAG
#define LAG 0             /* 1: a read may show any earlier state */
#endif
#ifndef TORN
#define TORN 0            /* 1: the counters of a read may disagree with its trail */
#endif
#ifndef IGNORES_VOIDS
#define IGNORES_VOIDS 0   /* 1: the service does not subtract voids from what can be captured */
#endif
#ifndef PRESUMES
#define PRESUMES 0        /* 1: UPSTREAM_MAX_PROCESSING_MS is set, and is true */
#endif
#ifndef OPERATOR
#define OPERATOR 0        /* 1: an operator who knows the truth settles operations */
#endif

/* ---- Faults: each switches one rule off ------------------------------------------------------ */

#ifndef NO_GUARD
#define NO_GUARD 0                   /* a second POST without the conservation guard */
#endif
#ifndef GUARD_BELIEVES_VOIDS
#define GUARD_BELIEVES_VOIDS 0       /* the guard counts voids though the counters disagree */
#endif
#ifndef NO_FENCING
#define NO_FENCING 0                 /* a change does not compare the epoch */
#endif
#ifndef NO_STATE_CHECK
#define NO_STATE_CHECK 0             /* the result of a POST overwrites any state */
#endif
#ifndef RECORDED_AGAIN
#define RECORDED_AGAIN 0             /* a result is recorded again while the epoch is the same */
#endif
#ifndef NO_LOCK
#define NO_LOCK 0                    /* two operations can be open at once */
#endif
#ifndef NO_CONFIRMATION
#define NO_CONFIRMATION 0            /* a 4xx is believed whatever the trail shows (A1) */
#endif
#ifndef CONFLICT_AT_ONCE
#define CONFLICT_AT_ONCE 0           /* the first read confirms a 409 (A1) */
#endif
#ifndef EMPTY_BELIEVED
#define EMPTY_BELIEVED 0             /* an empty 2xx is a success (A2) */
#endif
#ifndef NO_CLAIMS
#define NO_CLAIMS 0                  /* two operations can use one entry (A3) */
#endif
#ifndef EXHAUSTED_DESPITE_ENTRY
#define EXHAUSTED_DESPITE_ENTRY 0    /* exhaustion ignores unclaimed entries (A4) */
#endif
#ifndef EXHAUSTED_DESPITE_COUNTERS
#define EXHAUSTED_DESPITE_COUNTERS 0 /* exhaustion ignores counters that disagree (A4) */
#endif
#ifndef EXHAUSTED_BY_CAPTURED
#define EXHAUSTED_BY_CAPTURED 0      /* a refund is exhausted by what is captured so far (A4) */
#endif
#ifndef SECOND_NOT_COUNTED
#define SECOND_NOT_COUNTED 0         /* a second POST leaves the number of POSTs at 1 (A6) */
#endif
#ifndef UNSENT_SECOND_REMOVES
#define UNSENT_SECOND_REMOVES 0      /* a second POST that never left removes the row (A6) */
#endif
#ifndef SECOND_RELEASES
#define SECOND_RELEASES 0            /* a 429 to a second POST releases the row (A6) */
#endif
#ifndef SECOND_REJECTS
#define SECOND_REJECTS 0             /* a 4xx to a second POST is a rejection */
#endif
#ifndef LEASE_REMOVES_SENDING
#define LEASE_REMOVES_SENDING 0      /* when the lease of SENDING ends, the row is removed */
#endif
#ifndef PRESUMED_EARLY
#define PRESUMED_EARLY 0             /* NOT_APPLIED is presumed at any time (A7) */
#endif

/* ---- The service: an exact ledger ------------------------------------------------------------- */

#define MOVEMENTS 6

/* Totals after the first n movements. The index `length` is the present. */
byte captures[MOVEMENTS + 1];
byte refunds[MOVEMENTS + 1];
byte voids[MOVEMENTS + 1];
byte length;
byte alike;               /* set of the movements with the kind and amount of the operations */
byte outside;             /* number of movements by the outsider */

#define FIRST(n)  ((1 << (n)) - 1)
#define MANY(set) (((set) & ((set) - 1)) != 0)

#define CAN_CAPTURE(n, m) (captures[n] + !IGNORES_VOIDS * voids[n] + (m) <= TOTAL)
#define CAN_REFUND(n, m)  (refunds[n] + (m) <= captures[n])
#define CAN_VOID(n, m)    (captures[n] + voids[n] + (m) <= TOTAL)
#define ROOM(n) ((KIND == CAPTURE && CAN_CAPTURE(n, AMOUNT)) || \
  (KIND == REFUND && CAN_REFUND(n, AMOUNT)) || (KIND == VOID && CAN_VOID(n, AMOUNT)))
/* Whether pendingAmount = A - C - V. A service that ignores voids shows A - C. */
#define AGREES(n) (!IGNORES_VOIDS || voids[n] == 0)

inline add(captured, refunded, voided) {
  assert(length < MOVEMENTS);
  captures[length + 1] = captures[length] + captured;
  refunds[length + 1] = refunds[length] + refunded;
  voids[length + 1] = voids[length] + voided;
  length++
}

inline add_alike() {
  alike = alike | (1 << length);
  add((KIND == CAPTURE) * AMOUNT, (KIND == REFUND) * AMOUNT, (KIND == VOID) * AMOUNT)
}

/* ---- The store: one row for each operation ------------------------------------------------------ */

#define NONE        0     /* no row */
#define PREPARED    1
#define SENDING     2
#define UNKNOWN     3
#define SUCCEEDED   4
#define REJECTED    5
#define NOT_APPLIED 6
#define RELEASED    7

/* What the service answered and no read has confirmed yet. */
#define NOTHING  0
#define ACCEPTED 1        /* a 2xx that proves nothing */
#define FREED    2        /* 401, 403 or 429 */
#define REJECTION 3       /* any other 4xx except 408 */
#define CONFLICT 4        /* 409: REJECTION, but only a later read confirms it */

byte state[2];
byte epoch[2];            /* never decreases, so that it also distinguishes rows with the same key */
byte posts[2];
byte response[2];
byte snapshot[2];         /* number of movements in the snapshot */
bit agreed[2];            /* whether the counters agreed with the trail in the snapshot */
bit needs_operator[2];
bit released_before[2];
byte claimed[2];          /* the entry of a success */
byte seen[2];             /* the entries of a success if several could be its effect */
bit by_operator[2];

/* ---- The truth: no rule reads it ------------------------------------------------------------------ */

byte ready[2];            /* number of processes that are about to send the POST */
byte late[2];             /* number of POSTs that the service applies later or never */
byte copies;              /* the same for the POST that the intermediary repeats */
byte copied;              /* the operation of that POST, plus 1 */
bit copied_applied;       /* whether that POST was applied at least once */
bit copied_counted;       /* whether that POST is in may_be_applied */
byte own[2];              /* set of the entries that the POSTs of the operation made */
byte applied[2];          /* number of POSTs that were applied at least once */
byte may_be_applied[2];   /* number of POSTs that may have been applied, as far as a process can know */

#define COPY_IS_LATE(i) (copies > 0 && copied == (i) + 1)
#define NOTHING_IS_LATE(i) (late[i] == 0 && ready[i] == 0 && !COPY_IS_LATE(i))

/* ---- Rules ------------------------------------------------------------------------------------------ */

#define IS_OPEN(i) (state[i] == PREPARED || state[i] == SENDING || state[i] == UNKNOWN)
#define IS_SUCCESS(i) (state[i] == SUCCEEDED && !by_operator[i])
#define LOCKED(i) (!NO_LOCK && IS_OPEN(1 - (i)))
#define HOLDS(i, s, e) ((state[i] == s && (epoch[i] == e || NO_FENCING)) || \
  (RECORDED_AGAIN && s == SENDING && state[i] == UNKNOWN && epoch[i] == e) || \
  (NO_STATE_CHECK && s == SENDING && state[i] != NONE))

#define COUNTED(i) ((agreed[i] || GUARD_BELIEVES_VOIDS) * voids[snapshot[i]])
#define GUARD(i) (NO_GUARD || \
  (KIND == CAPTURE && captures[snapshot[i]] + COUNTED(i) + 2 * AMOUNT > TOTAL) || \
  (KIND == VOID && agreed[i] && captures[snapshot[i]] + voids[snapshot[i]] + 2 * AMOUNT > TOTAL) || \
  (KIND == REFUND && refunds[snapshot[i]] + 2 * AMOUNT > TOTAL - COUNTED(i)))

#define EXHAUSTED(n, counters_agree) ((counters_agree || EXHAUSTED_DESPITE_COUNTERS) && ( \
  (KIND != REFUND && captures[n] + voids[n] + AMOUNT > TOTAL) || \
  (KIND == REFUND && refunds[n] + AMOUNT > TOTAL - voids[n]) || \
  (KIND == REFUND && EXHAUSTED_BY_CAPTURED && refunds[n] + AMOUNT > captures[n])))

#define IGNORED(i, n) ((NO_CONFIRMATION && response[i] >= FREED) || \
  (EXHAUSTED_DESPITE_ENTRY && response[i] == NOTHING && EXHAUSTED(n, AGREES(n))))
#define NEW(i, n)        (!IGNORED(i, n) * (alike & FIRST(n) & ~FIRST(snapshot[i])))
#define UNCLAIMED(i, n)  (NEW(i, n) & ~(!NO_CLAIMS * claimed[1 - (i)]))
#define CANDIDATES(i, n) (UNCLAIMED(i, n) & ~(!NO_CLAIMS * seen[1 - (i)]))

/* Whether the read is too old to show the entries of an earlier success. */
#define ENTRIES(i) (claimed[i] | seen[i])
#define MUST_WAIT(i, n) (!NO_CLAIMS && IS_SUCCESS(1 - (i)) && \
  (ENTRIES(1 - (i)) == 0 || (ENTRIES(1 - (i)) & ~FIRST(n)) != 0 || (alike & FIRST(n)) == 0))

#define CAN_REPOST(i) (is_repeat && posts[i] == 1 && GUARD(i))

/* ---- Assertions ---------------------------------------------------------------------------------------- */

/* Before the gateway says that the operation was rejected, or that nothing was sent. */
inline assert_not_applied(i1) {
  assert(applied[i1] == 0 && may_be_applied[i1] == 0);
  assert(NOTHING_IS_LATE(i1))
}

/* If others make identical movements, only the number of entries can be compared. */
#define NEW_NOW(i) (alike & ~FIRST(snapshot[i]))

inline assert_success(i2) {
  assert(IDENTICAL || REPEATS || applied[i2] == 1);
  assert(NEW_NOW(i2) != 0);
  assert(!IS_SUCCESS(0) || !IS_SUCCESS(1) || MANY(NEW_NOW(0) | NEW_NOW(1)))
}

inline assert_posts(i3) {
  assert(state[i3] != NONE && state[i3] != PREPARED && state[i3] != RELEASED && state[i3] != REJECTED);
  assert(may_be_applied[i3] <= 2);
  assert((state[i3] != SENDING && state[i3] != UNKNOWN) || may_be_applied[i3] <= posts[i3])
}

/* Without the guard, the service can also apply both copies of one POST. */
inline assert_applied(i4) {
  assert(state[i4] == SENDING || state[i4] == UNKNOWN || state[i4] == SUCCEEDED);
  assert(applied[i4] <= 1);
  assert(!MANY(own[i4]) || !GUARD(i4))
}

/* ---- Steps ------------------------------------------------------------------------------------------------ */

inline remove(i5) {
  assert_not_applied(i5);
  state[i5] = NONE; posts[i5] = 0; response[i5] = NOTHING;
  snapshot[i5] = 0; agreed[i5] = 0; released_before[i5] = 0
}

inline release(i6) {
  assert_not_applied(i6);
  state[i6] = RELEASED; response[i6] = NOTHING
}

inline send(i7, e7) {
  state[i7] = SENDING; response[i7] = NOTHING; epoch[i7]++; e7 = epoch[i7]; ready[i7]++
}

inline claim(i8, entries) {
  claimed[i8] = !MANY(entries) * (entries);
  seen[i8] = MANY(entries) * (entries)
}

inline succeed(i9, entries9) {
  claim(i9, entries9);
  state[i9] = SUCCEEDED; response[i9] = NOTHING; needs_operator[i9] = 0;
  assert_success(i9)
}

/* A GET of the transaction shows its first n movements. */
inline get(n11, counters_agree11) {
  n11 = length;
  do
  :: LAG && n11 > 0 -> n11--
  :: break
  od;
  if
  :: counters_agree11 = AGREES(n11)
  :: TORN -> counters_agree11 = 0
  fi
}

/* The service applies a POST. */
inline apply(i12, is_copied12) {
  own[i12] = own[i12] | (1 << length);
  add_alike();
  applied[i12] = applied[i12] + !(is_copied12 && copied_applied);
  copied_applied = copied_applied || is_copied12;
  assert_applied(i12)
}

/* A POST may have been applied. */
inline count(i13, is_copied13) {
  may_be_applied[i13] = may_be_applied[i13] + !(is_copied13 && copied_counted);
  copied_counted = copied_counted || is_copied13;
  assert_posts(i13)
}

/* ---- A process of the gateway --------------------------------------------------------------------------- */

#define ANSWERED_ENTRY    1 /* 2xx with the trail of the transaction */
#define ANSWERED_EMPTY    2 /* any other complete 2xx */
#define ANSWERED_FREED    3
#define ANSWERED_REJECTION  4
#define ANSWERED_CONFLICT 5
#define NEVER_LEFT        6
#define AMBIGUOUS         7

byte requests;

proctype gateway() {
  byte i;                 /* the operation of the request */
  byte e;                 /* the epoch that this process holds */
  byte n;                 /* number of movements in the last read */
  byte result;            /* of the POST */
  bit is_repeat;          /* the caller repeats the mutation, and does not only query the operation */
  bit counters_agree;     /* in the last read */
  bit is_late;            /* the last read is late enough to confirm a 409 */
  bit is_over;            /* the longest processing time was over before the last read */
  bit is_copied;          /* the intermediary repeats the POST of this process */

end_idle:
  atomic {
    requests < REQUESTS -> requests++;
    if
    :: i = 0
    :: OPERATIONS == 2 -> i = 1
    fi;
    if
    :: is_repeat = 1
    :: state[i] != NONE -> is_repeat = 0
    fi;
    if
    :: state[i] == NONE && LOCKED(i) -> goto done             /* told TRANSACTION_BUSY */
    :: state[i] == NONE && !LOCKED(i) ->
      state[i] = PREPARED; epoch[i]++; e = epoch[i]; goto prepared
    :: state[i] == PREPARED || state[i] == SENDING -> goto done /* told IN_PROGRESS */
    :: state[i] == PREPARED || (state[i] == SENDING && LEASE_REMOVES_SENDING) ->
      remove(i); goto done                                    /* the lease has ended */
    :: state[i] == SENDING && !LEASE_REMOVES_SENDING ->
      state[i] = UNKNOWN; epoch[i]++; e = epoch[i]; goto unknown /* the lease has ended */
    :: state[i] == UNKNOWN && !needs_operator[i] -> e = epoch[i]; goto unknown
    :: state[i] == UNKNOWN && needs_operator[i] -> goto done  /* told CONTACT_OPERATOR */
    :: state[i] == RELEASED && (!is_repeat || LOCKED(i)) -> goto done
    :: state[i] == RELEASED && is_repeat && !LOCKED(i) ->
      state[i] = UNKNOWN; response[i] = FREED; released_before[i] = 1;
      epoch[i]++; e = epoch[i]; goto unknown
    :: state[i] == SUCCEEDED -> goto done
    :: state[i] == REJECTED -> goto done
    :: state[i] == NOT_APPLIED -> goto done
    fi
  };

prepared:
  if
  :: goto done                                                /* the process dies */
  :: atomic { HOLDS(i, PREPARED, e) ->
      get(n, counters_agree);
      if
      :: MUST_WAIT(i, n) -> remove(i); goto done /* told NOT_SENT */
      :: !MUST_WAIT(i, n) && !ROOM(n) -> remove(i); goto done /* told AmountTooLargeError */
      :: !MUST_WAIT(i, n) && ROOM(n) ->
        snapshot[i] = n; agreed[i] = counters_agree; posts[i] = 1;
        send(i, e); goto sending
      fi
    }
  :: atomic { !HOLDS(i, PREPARED, e) -> goto done }
  fi;

sending:
  atomic { n = 0; counters_agree = 0; is_late = 0; is_over = 0; is_repeat = 0 };
on_the_way:
  if
  :: atomic { ready[i]--; goto done }                         /* the process dies */
  :: atomic { REPEATS && copied == 0 ->
      copied = i + 1; copies = 1; is_copied = 1; goto on_the_way
    }
  :: atomic { !is_copied -> ready[i]--; result = NEVER_LEFT }
  :: atomic {                                                 /* the POST or its answer is lost or late */
      result = AMBIGUOUS;
      if
      :: is_copied -> copies++
      :: !is_copied -> late[i]++
      fi;
      count(i, is_copied);
      ready[i]--
    }
  :: atomic { ROOM(length) ->
      apply(i, is_copied);
      count(i, is_copied);
      ready[i]--;
      if
      :: result = ANSWERED_ENTRY; get(n, counters_agree); counters_agree = 0
      :: result = ANSWERED_EMPTY
      :: LIES -> result = ANSWERED_FREED
      :: LIES -> result = ANSWERED_REJECTION
      :: LIES -> result = ANSWERED_CONFLICT
      fi
    }
  :: atomic { LIES ->
      count(i, is_copied);
      ready[i]--;
      result = ANSWERED_EMPTY
    }
  :: atomic {                                                 /* not applied */
      ready[i]--;
      if
      :: result = ANSWERED_FREED
      :: result = ANSWERED_REJECTION
      :: result = ANSWERED_CONFLICT
      fi
    }
  fi;

answered:
  if
  :: goto done                                                /* the process dies */
  :: atomic {
      is_copied = 0;
      if
      :: (result == ANSWERED_ENTRY && UNCLAIMED(i, n) != 0) ||
         (result == ANSWERED_EMPTY && EMPTY_BELIEVED) ->
        if                                                    /* the one that holds the epoch */
        :: state[i] == SENDING || state[i] == UNKNOWN ->
          succeed(i, (result == ANSWERED_ENTRY) * UNCLAIMED(i, n))
        :: else
        fi;
        goto done
      :: else
      fi;
      if
      :: !HOLDS(i, SENDING, e) -> goto done                   /* only an event */
      :: else
      fi;
      assert(state[i] != SUCCEEDED);
      if
      :: result == ANSWERED_ENTRY || result == ANSWERED_EMPTY ->
        state[i] = UNKNOWN; response[i] = ACCEPTED
      :: result == ANSWERED_FREED ->
        state[i] = UNKNOWN; response[i] = FREED
      :: result == ANSWERED_REJECTION && (posts[i] == 1 || SECOND_REJECTS) ->
        state[i] = UNKNOWN; response[i] = REJECTION
      :: result == ANSWERED_CONFLICT && (posts[i] == 1 || SECOND_REJECTS) ->
        state[i] = UNKNOWN; response[i] = CONFLICT
      :: (result == ANSWERED_REJECTION || result == ANSWERED_CONFLICT) && posts[i] == 2 && !SECOND_REJECTS ->
        state[i] = UNKNOWN
      :: result == NEVER_LEFT && (posts[i] == 1 || UNSENT_SECOND_REMOVES) && !released_before[i] ->
        remove(i); goto done                                  /* told NOT_SENT */
      :: result == NEVER_LEFT && (posts[i] == 1 || UNSENT_SECOND_REMOVES) && released_before[i] ->
        release(i); goto done                                 /* told NOT_SENT */
      :: result == NEVER_LEFT && posts[i] == 2 && !UNSENT_SECOND_REMOVES ->
        state[i] = UNKNOWN; posts[i] = 1
      :: result == AMBIGUOUS ->
        state[i] = UNKNOWN
      fi;
      if
      :: goto unknown
      :: goto answered                                        /* the store's reply is lost: records again */
      fi
    }
  fi;

unknown:
  atomic { n = 0; result = 0 };
  if
  :: goto done                                                /* the process dies, or the read fails */
  :: atomic { HOLDS(i, UNKNOWN, e) && !needs_operator[i] ->
      get(n, counters_agree);
      if
      :: is_late = 0
      :: response[i] == CONFLICT -> is_late = 1
      fi;
      if                                                      /* what an intermediary applies later is not promised */
      :: copied == i + 1 && (response[i] == FREED || response[i] == REJECTION || is_late) -> copies = 0
      :: else
      fi;
      is_over = PRESUMES && (NOTHING_IS_LATE(i) || PRESUMED_EARLY)
    }
  :: atomic { !HOLDS(i, UNKNOWN, e) || needs_operator[i] -> goto done }
  fi;

reconciling:
  if
  :: goto done                                                /* the process dies */
  :: atomic { !HOLDS(i, UNKNOWN, e) || needs_operator[i] -> goto done }
  :: atomic { HOLDS(i, UNKNOWN, e) && !needs_operator[i] ->
      if
      :: CANDIDATES(i, n) != 0 && response[i] == ACCEPTED ->
        succeed(i, CANDIDATES(i, n)); goto done
      :: CANDIDATES(i, n) != 0 && response[i] != ACCEPTED && MANY(CANDIDATES(i, n)) ->
        needs_operator[i] = 1; goto done
      :: CANDIDATES(i, n) != 0 && response[i] == NOTHING && !MANY(CANDIDATES(i, n)) ->
        succeed(i, CANDIDATES(i, n)); goto done
      :: CANDIDATES(i, n) != 0 && response[i] >= FREED && !MANY(CANDIDATES(i, n)) && GUARD(i) ->
        succeed(i, CANDIDATES(i, n)); goto done
      :: CANDIDATES(i, n) != 0 && response[i] >= FREED && !MANY(CANDIDATES(i, n)) && !GUARD(i) ->
        needs_operator[i] = 1; goto done
      :: CANDIDATES(i, n) == 0 && UNCLAIMED(i, n) != 0 && response[i] <= ACCEPTED && CAN_REPOST(i) ->
        goto second
      :: CANDIDATES(i, n) == 0 && UNCLAIMED(i, n) != 0 && !(response[i] <= ACCEPTED && CAN_REPOST(i)) ->
        goto done                                             /* told OUTCOME_UNKNOWN */
      :: UNCLAIMED(i, n) == 0
      fi;
      if
      :: response[i] == REJECTION || (response[i] == CONFLICT && (is_late || CONFLICT_AT_ONCE)) ->
        assert_not_applied(i);
        state[i] = REJECTED; response[i] = NOTHING; goto done
      :: response[i] == CONFLICT && !is_late && !CONFLICT_AT_ONCE ->
        goto unknown                                          /* reads again */
      :: response[i] == FREED && posts[i] == 2 && !SECOND_RELEASES ->
        posts[i] = 1; response[i] = NOTHING; goto unknown
      :: response[i] == FREED && (posts[i] == 1 || SECOND_RELEASES) && is_repeat && ROOM(n) ->
        assert_not_applied(i);
        send(i, e); goto sending
      :: response[i] == FREED && (posts[i] == 1 || SECOND_RELEASES) && !(is_repeat && ROOM(n)) ->
        release(i); goto done                                 /* told NOT_SENT */
      :: response[i] <= ACCEPTED && EXHAUSTED(n, counters_agree) ->
        assert(applied[i] == 0);
        state[i] = NOT_APPLIED; response[i] = NOTHING; goto done /* evidence PROVEN */
      :: response[i] <= ACCEPTED && !EXHAUSTED(n, counters_agree) && CAN_REPOST(i) ->
        goto second
      :: response[i] == NOTHING && !EXHAUSTED(n, counters_agree) && !CAN_REPOST(i) && is_over ->
        assert(applied[i] == 0);
        state[i] = NOT_APPLIED; goto done                     /* evidence PRESUMED */
      :: response[i] <= ACCEPTED && !EXHAUSTED(n, counters_agree) && !CAN_REPOST(i) &&
         (response[i] == ACCEPTED || !is_over) ->
        goto done                                             /* told OUTCOME_UNKNOWN */
      fi;
second:
      posts[i] = 2 - SECOND_NOT_COUNTED;
      send(i, e); goto sending
    }
  fi;

done:
  atomic {
    i = 0; e = 0; n = 0; result = 0;
    is_repeat = 0; counters_agree = 0; is_late = 0; is_over = 0; is_copied = 0;
    goto end_idle
  }
}

/* ---- What happens without the gateway ----------------------------------------------------------------------- */

#define CAN_SETTLE(i) (OPERATOR && state[i] == UNKNOWN)

inline settle(i14, outcome) {
  by_operator[i14] = 1; needs_operator[i14] = 0; response[i14] = NOTHING;
  claimed[i14] = own[i14] & ~claimed[1 - (i14)];
  state[i14] = outcome
}

proctype environment() {
end_environment:
  do
  :: atomic { late[0] > 0 && ROOM(length) -> late[0]--; apply(0, 0) }
  :: atomic { late[1] > 0 && ROOM(length) -> late[1]--; apply(1, 0) }
  :: atomic { copies > 0 && ROOM(length) -> copies--; apply(copied - 1, 1); count(copied - 1, 1) }
  :: atomic { outside < OUTSIDE && CAN_CAPTURE(length, OTHER) -> outside++; add(OTHER, 0, 0) }
  :: atomic { outside < OUTSIDE && CAN_VOID(length, OTHER) -> outside++; add(0, 0, OTHER) }
  :: atomic { outside < OUTSIDE && KIND == REFUND && CAN_REFUND(length, OTHER) -> outside++; add(0, OTHER, 0) }
  :: atomic { outside < OUTSIDE && IDENTICAL && ROOM(length) -> outside++; add_alike() }
  :: atomic { CAN_SETTLE(0) && applied[0] > 0 -> settle(0, SUCCEEDED) }
  :: atomic { CAN_SETTLE(1) && applied[1] > 0 -> settle(1, SUCCEEDED) }
  :: atomic { CAN_SETTLE(0) && applied[0] == 0 && NOTHING_IS_LATE(0) -> settle(0, NOT_APPLIED) }
  :: atomic { CAN_SETTLE(1) && applied[1] == 0 && NOTHING_IS_LATE(1) -> settle(1, NOT_APPLIED) }
  od
}

init {
  atomic {
    captures[0] = CAPTURED;
    run gateway();
    run gateway();
    run environment()
  }
}
