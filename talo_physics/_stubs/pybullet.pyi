"""Types of the PyBullet calls that talo_physics/physics/bullet.py makes; the package ships none."""

from collections.abc import Sequence

DIRECT: int
GEOM_BOX: int
GEOM_CYLINDER: int
GEOM_PLANE: int

Vec3 = tuple[float, float, float]
Vec4 = tuple[float, float, float, float]

class error(Exception): ...

def connect(method: int) -> int: ...
def disconnect(physicsClientId: int = ...) -> None: ...
def resetSimulation(physicsClientId: int = ...) -> None: ...
def setGravity(gravX: float, gravY: float, gravZ: float, physicsClientId: int = ...) -> None: ...
def setPhysicsEngineParameter(
    fixedTimeStep: float = ...,
    numSolverIterations: int = ...,
    numSubSteps: int = ...,
    solverResidualThreshold: float = ...,
    contactBreakingThreshold: float = ...,
    deterministicOverlappingPairs: int = ...,
    physicsClientId: int = ...,
) -> None: ...
def createCollisionShape(
    shapeType: int,
    halfExtents: Sequence[float] = ...,
    physicsClientId: int = ...,
) -> int: ...
def createCollisionShapeArray(
    shapeTypes: Sequence[int],
    radii: Sequence[float] = ...,
    halfExtents: Sequence[Sequence[float]] = ...,
    lengths: Sequence[float] = ...,
    collisionFramePositions: Sequence[Sequence[float]] = ...,
    physicsClientId: int = ...,
) -> int: ...
def createMultiBody(
    baseMass: float = ...,
    baseCollisionShapeIndex: int = ...,
    basePosition: Sequence[float] = ...,
    baseOrientation: Sequence[float] = ...,
    useMaximalCoordinates: int = ...,
    physicsClientId: int = ...,
) -> int: ...
def changeDynamics(
    bodyUniqueId: int,
    linkIndex: int,
    mass: float = ...,
    lateralFriction: float = ...,
    restitution: float = ...,
    linearDamping: float = ...,
    angularDamping: float = ...,
    localInertiaDiagonal: Sequence[float] = ...,
    physicsClientId: int = ...,
) -> None: ...
def resetBaseVelocity(
    objectUniqueId: int, linearVelocity: Sequence[float] = ..., physicsClientId: int = ...
) -> None: ...
def stepSimulation(physicsClientId: int = ...) -> object: ...
def getBasePositionAndOrientation(objectUniqueId: int, physicsClientId: int = ...) -> tuple[Vec3, Vec4]: ...
def getDynamicsInfo(bodyUniqueId: int, linkIndex: int, physicsClientId: int = ...) -> tuple[object, ...]: ...
