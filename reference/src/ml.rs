//! `ML`, how a context is created: <https://www.w3.org/TR/webnn/#api-ml>.

use std::rc::Rc;

use crate::context::MLContext;
use crate::platform::Platform;
use crate::promise::Promise;
use crate::steps::Reading;
use crate::timeline::Global;
use crate::webgpu::GPUDevice;
use crate::{algorithm, exception, literal, reject, step};

/// <https://www.w3.org/TR/webnn/#enumdef-mlpowerpreference>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MLPowerPreference {
    /// Whatever suits best.
    #[default]
    Default,
    /// Speed before power consumption.
    HighPerformance,
    /// Power consumption before anything else.
    LowPower,
}

impl MLPowerPreference {
    /// All preferences, in the order of the IDL.
    pub const ALL: [Self; 3] = [Self::Default, Self::HighPerformance, Self::LowPower];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::HighPerformance => "high-performance",
            Self::LowPower => "low-power",
        }
    }
}

/// <https://www.w3.org/TR/webnn/#dictdef-mlcontextoptions>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MLContextOptions {
    /// The application's preference as related to power consumption.
    pub power_preference: MLPowerPreference,
    /// Whether it prefers massively parallel acceleration.
    pub accelerated: bool,
}

impl Default for MLContextOptions {
    fn default() -> Self {
        Self { power_preference: MLPowerPreference::Default, accelerated: true }
    }
}

/// <https://www.w3.org/TR/webnn/#context-type>
#[derive(Clone, Debug)]
pub enum ContextType {
    /// Created per user preference options.
    Default,
    /// Created from a WebGPU device.
    WebGPU(GPUDevice),
}

/// The user agent's choice of an underlying platform for a context.
pub trait PlatformProvider {
    /// A platform for a context of this type, or `None` if there is none.
    fn platform(
        &self,
        context_type: &ContextType,
        power_preference: MLPowerPreference,
        accelerated: bool,
    ) -> Option<Box<dyn Platform>>;

    /// A device of its own for somebody who stands in for an application, if contexts can be created from any.
    fn request_device(&self) -> Option<GPUDevice> {
        None
    }
}

/// What `createContext()` is given.
#[derive(Clone, Debug)]
pub enum ContextSource {
    /// `createContext(options)`.
    Options(MLContextOptions),
    /// `createContext(gpuDevice)`.
    Device(GPUDevice),
}

/// `navigator.ml`.
#[derive(Clone)]
pub struct ML {
    global: Global,
    provider: Rc<dyn PlatformProvider>,
}

impl ML {
    /// The `ML` of a global object, whose contexts use platforms from this provider.
    pub fn new(global: &Global, provider: Rc<dyn PlatformProvider>) -> Self {
        Self { global: global.clone(), provider }
    }

    fn reading(&self) -> Reading {
        self.global.reading()
    }

    /// <https://www.w3.org/TR/webnn/#dom-ml-createcontext>
    pub fn create_context(&self, options: MLContextOptions) -> Promise<MLContext> {
        algorithm!("ML.createContext(options)", self);
        step!("1");
        let global = &self.global;
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if !global.is_allowed_to_use_webnn() {
            reject!(SecurityError, "the document is not allowed to use the webnn feature");
        }
        step!("4");
        let promise = Promise::new();
        step!("5");
        let (ml, settled) = (self.clone(), promise.clone());
        global.run_in_parallel(move || {
            algorithm!("ML.createContext(options)", ml);
            step!("5.1");
            let Some(context) = ml.create_a_context(ContextSource::Options(options)) else {
                let failure = exception!(NotSupportedError, "no platform for a context of type default");
                return ml.global.queue_an_ml_task(move || settled.reject(failure));
            };
            step!("5.2");
            ml.global.queue_an_ml_task(move || settled.resolve(context));
        });
        step!("6");
        promise
    }

    /// <https://www.w3.org/TR/webnn/#dom-ml-createcontext-gpudevice>
    pub fn create_context_for_device(&self, gpu_device: GPUDevice) -> Promise<MLContext> {
        algorithm!("ML.createContext(gpuDevice)", self);
        step!("1");
        let global = &self.global;
        step!("2"); // BY TYPE: there is one realm, that of the global object.
        step!("3");
        if !global.is_allowed_to_use_webnn() {
            reject!(SecurityError, "the document is not allowed to use the webnn feature");
        }
        step!("4");
        let promise = Promise::new();
        step!("5");
        let (ml, settled) = (self.clone(), promise.clone());
        global.run_in_parallel(move || {
            algorithm!("ML.createContext(gpuDevice)", ml);
            step!("5.1");
            let Some(context) = ml.create_a_context(ContextSource::Device(gpu_device)) else {
                let failure = exception!(NotSupportedError, "no platform for a context of type webgpu");
                return ml.global.queue_an_ml_task(move || settled.reject(failure));
            };
            step!("5.2");
            ml.global.queue_an_ml_task(move || settled.resolve(context));
        });
        step!("6");
        promise
    }

    /// <https://www.w3.org/TR/webnn/#create-a-context>
    fn create_a_context(&self, source: ContextSource) -> Option<MLContext> {
        algorithm!("create a context", self);
        step!("1");
        let context_type;
        let power_preference;
        let accelerated;
        let mut lost = Some(Promise::new());
        match source {
            ContextSource::Device(device) => {
                step!("2");
                step!("2.1");
                context_type = ContextType::WebGPU(device);
                step!("2.2");
                power_preference = MLPowerPreference::Default;
                step!("2.3");
                accelerated = true;
                if literal!("webgpu-context-lost-unset") {
                    lost = None;
                }
            }
            ContextSource::Options(options) => {
                step!("3");
                step!("3.1");
                context_type = ContextType::Default;
                step!("3.2");
                step!("3.3");
                power_preference = options.power_preference;
                step!("3.4"); // BY TYPE: the option has its default.
                step!("3.5");
                accelerated = options.accelerated;
                step!("3.6"); // BY TYPE: the option has its default.
            }
        }
        step!("4");
        let platform = self.provider.platform(&context_type, power_preference, accelerated)?;
        step!("5");
        let context = MLContext::new(&self.global, context_type, power_preference, accelerated, lost, platform);
        self.global.add_context(&context);
        if let Some(device) = context.gpu_device() {
            device.add_context(&context);
        }
        Some(context)
    }
}
